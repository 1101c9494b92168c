package org.flowmon.ingest.decode.exporter;

import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * What an sFlow agent counted at an interface since its start. Counters of packets have 32 bits and
 * wrap; one that the agent does not keep is 4294967295, or 2^64 − 1 of octets.
 *
 * @param exporter the agent, null if unknown
 * @param name empty if the exporter does not tell it
 * @param arrival when they came, µs since 1970
 * @param speed bits/s
 * @param direction 1 full duplex, 2 half duplex, 3 in, 4 out, 0 unknown
 * @param status bit 0: enabled, bit 1: up
 */
public record InterfaceCounters(
    @Nullable IpAddress exporter,
    long subAgent,
    long index,
    String name,
    long arrival,
    long type,
    long speed,
    long direction,
    long status,
    Counts in,
    Counts out) {

  /** Stands for a count of packets that the agent does not keep. */
  public static final long NOT_KEPT = 0xFFFF_FFFFL;

  /** Likewise of octets. */
  public static final long OCTETS_NOT_KEPT = -1;

  InterfaceCounters named(String newName) {
    return new InterfaceCounters(
        exporter, subAgent, index, newName, arrival, type, speed, direction, status, in, out);
  }

  /**
   * One direction; {@code octets} unsigned; {@code unknownProtocols} only of the inbound one, else
   * 0.
   */
  public record Counts(
      long octets,
      long unicast,
      long multicast,
      long broadcast,
      long discards,
      long errors,
      long unknownProtocols) {}
}
