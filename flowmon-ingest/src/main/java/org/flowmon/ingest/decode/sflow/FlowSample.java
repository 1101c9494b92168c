package org.flowmon.ingest.decode.sflow;

import static org.flowmon.flow.bytes.BigEndian.getInt;
import static org.flowmon.flow.bytes.BigEndian.getU32;

/**
 * The fixed fields of a sample of a packet, in the three forms that they have. Reused.
 *
 * <pre>
 * flow sample, 32 bytes:      sequence 4 | source type 1, index 3 | rate 4 | pool 4 | drops 4
 *                             | input 4 | output 4 | records 4
 * expanded, 44 bytes:         sequence 4 | source type 4 | source index 4 | rate 4 | pool 4 | drops 4
 *                             | input format 4, value 4 | output format 4, value 4 | records 4
 * discarded packet, 32 bytes: sequence 4 | source type 4 | source index 4 | drops 4 | input 4
 *                             | output 4 | reason 4 | records 4
 * </pre>
 *
 * The format of an interface, 2 bits in the short form: 0 an index, 1 a reason why the packet was
 * discarded, 2 how many interfaces it went out to.
 */
final class FlowSample {
  static final int BYTES = 32;
  static final int EXPANDED_BYTES = 44;
  static final int DISCARD_BYTES = 32;
  static final int NONE = -1;

  private static final int INDEX = 0;
  private static final int DISCARDED = 1;

  /** The router itself; in NetFlow it is interface 0. */
  private static final long LOCAL = 0x3FFF_FFFF;

  int sequence;
  long sourceType;
  long sourceIndex;

  /** Packets for each sample, 0 if it is unknown. */
  long rate;

  int pool;
  int drops;

  /** An interface's index, 0 for the router itself, {@link #NONE} if unknown or several. */
  long input;

  long output;

  /** Why it was discarded, {@link #NONE} if it was not. */
  long discardReason;

  long records;

  /** Told of because it was discarded, not by chance. */
  boolean isDiscard;

  void read(byte[] bytes, int at) {
    sequence = getInt(bytes, at);
    sourceType = getU32(bytes, at + 4) >>> 24;
    sourceIndex = getU32(bytes, at + 4) & 0xFF_FFFF;
    readSampling(bytes, at + 8);
    readInterfaces(
        getInt(bytes, at + 20) >>> 30,
        getU32(bytes, at + 20) & LOCAL,
        getInt(bytes, at + 24) >>> 30,
        getU32(bytes, at + 24) & LOCAL);
    records = getU32(bytes, at + 28);
    isDiscard = false;
  }

  void readExpanded(byte[] bytes, int at) {
    sequence = getInt(bytes, at);
    sourceType = getU32(bytes, at + 4);
    sourceIndex = getU32(bytes, at + 8);
    readSampling(bytes, at + 12);
    readInterfaces(
        getInt(bytes, at + 24),
        getU32(bytes, at + 28),
        getInt(bytes, at + 32),
        getU32(bytes, at + 36));
    records = getU32(bytes, at + 40);
    isDiscard = false;
  }

  void readDiscard(byte[] bytes, int at) {
    sequence = getInt(bytes, at);
    sourceType = getU32(bytes, at + 4);
    sourceIndex = getU32(bytes, at + 8);
    rate = 1;
    pool = 0;
    drops = getInt(bytes, at + 12);
    readInterfaces(INDEX, getU32(bytes, at + 16), INDEX, getU32(bytes, at + 20));
    discardReason = getU32(bytes, at + 24);
    records = getU32(bytes, at + 28);
    isDiscard = true;
  }

  private void readSampling(byte[] bytes, int at) {
    rate = getU32(bytes, at);
    pool = getInt(bytes, at + 4);
    drops = getInt(bytes, at + 8);
  }

  private void readInterfaces(int inFormat, long in, int outFormat, long out) {
    input = inFormat == INDEX ? index(in) : NONE;
    output = outFormat == INDEX ? index(out) : NONE;
    discardReason = outFormat == DISCARDED ? out : NONE;
  }

  private static long index(long value) {
    return value == 0 ? NONE : value == LOCAL ? 0 : value;
  }
}
