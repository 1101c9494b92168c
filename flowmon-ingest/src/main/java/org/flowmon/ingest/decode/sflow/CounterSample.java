package org.flowmon.ingest.decode.sflow;

import static org.flowmon.flow.bytes.BigEndian.getLong;
import static org.flowmon.flow.bytes.BigEndian.getU32;

import java.util.Arrays;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.jspecify.annotations.Nullable;

/**
 * A sample of counters. Of its records the generic one of an interface and the name of a port are
 * kept.
 *
 * <pre>
 * counter sample, 12 bytes:  sequence 4 | source type 1, index 3 | records 4
 * expanded, 16 bytes:        sequence 4 | source type 4 | source index 4 | records 4
 * 1 interface, 88 bytes:     index 4 | type 4 | speed 8 | direction 4 | status 4
 *                            | in: octets 8 | unicast 4 | multicast 4 | broadcast 4 | discards 4
 *                            | errors 4 | unknown protocols 4
 *                            | out: octets 8 | unicast 4 | multicast 4 | broadcast 4 | discards 4
 *                            | errors 4 | promiscuous mode 4
 * 1005 port's name:          length 4 | UTF-8
 * </pre>
 */
final class CounterSample {
  static final int BYTES = 12;
  static final int EXPANDED_BYTES = 16;
  static final int INTERFACE = 1;
  static final int INTERFACE_BYTES = 88;
  static final int PORT_NAME = 1005;
  private static final int MOST_NAME_BYTES = 255;

  private CounterSample() {}

  static InterfaceCounters read(byte[] bytes, int at, SflowHeader header) {
    return new InterfaceCounters(
        header.agent,
        header.subAgent,
        getU32(bytes, at),
        "",
        header.arrival,
        getU32(bytes, at + 4),
        getLong(bytes, at + 8),
        getU32(bytes, at + 16),
        getU32(bytes, at + 20),
        counts(bytes, at + 24, getU32(bytes, at + 52)),
        counts(bytes, at + 56, 0));
  }

  /** Of a record of so many bytes; null if it has none, or one that does not fit into it. */
  static byte @Nullable [] name(byte[] bytes, int at, int length) {
    long name = length < 4 ? 0 : getU32(bytes, at);
    return name < 1 || name > MOST_NAME_BYTES || name > length - 4
        ? null
        : Arrays.copyOfRange(bytes, at + 4, at + 4 + (int) name);
  }

  private static InterfaceCounters.Counts counts(byte[] bytes, int at, long unknownProtocols) {
    return new InterfaceCounters.Counts(
        getLong(bytes, at),
        getU32(bytes, at + 8),
        getU32(bytes, at + 12),
        getU32(bytes, at + 16),
        getU32(bytes, at + 20),
        getU32(bytes, at + 24),
        unknownProtocols);
  }
}
