package org.flowmon.archive.host;

import java.util.List;

/**
 * Which addresses were seen since a time, and whether history says so for sure.
 *
 * @param hosts in the order of the question
 * @param from since when it was asked (µs)
 * @param asOfArrival flows that arrived later (µs) were not looked at
 * @param historyFrom the first arrival stored (µs), {@link Long#MAX_VALUE} if none is
 * @param historyThrough up to which arrival (µs) all is there, {@link Long#MIN_VALUE} if nothing
 *     is known
 * @param missing why history is partial, a sentence each; empty if it is whole
 * @param segmentsTotal segments of the archive
 * @param segmentsRead how many of them were opened, each counted once for an address
 * @param warnings what of sidecars and host directory is damaged; the answer stands all the same
 */
public record SeenAnswer(
    List<LastSeen> hosts,
    long from,
    long asOfArrival,
    long historyFrom,
    long historyThrough,
    List<String> missing,
    int segmentsTotal,
    int segmentsRead,
    List<String> warnings) {
  public SeenAnswer {
    hosts = List.copyOf(hosts);
    missing = List.copyOf(missing);
    warnings = List.copyOf(warnings);
  }

  /** Whether an address that was not seen may have been: history does not hold all of the time. */
  public boolean isPartial() {
    return !missing.isEmpty();
  }
}
