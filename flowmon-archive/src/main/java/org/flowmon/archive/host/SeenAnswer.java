package org.flowmon.archive.host;

import java.util.List;

/**
 * The addresses seen since a time, in the order of the question, and whether history is complete
 * enough to be sure. Times are µs.
 *
 * @param asOfArrival flows that arrived later were ignored
 * @param historyFrom the first arrival stored, {@link Long#MAX_VALUE} if none is
 * @param historyThrough history is complete up to this arrival, {@link Long#MIN_VALUE} if unknown
 * @param missing why history is partial, a sentence each; empty if it is complete
 * @param segmentsRead number of opened segments, each counted once for an address
 * @param warnings damage of sidecars and host directory; the answer stands nevertheless
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

  /** Whether an unseen address may have been active: history does not cover the whole time. */
  public boolean isPartial() {
    return !missing.isEmpty();
  }
}
