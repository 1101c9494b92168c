package org.flowmon.ingest.synthetic.exporter;

import java.util.Map;
import org.flowmon.flow.SourceKind;

/**
 * The counts of a sender, taken before the network could lose anything.
 *
 * @param byVersion counts by export version; versions that were not sent are left out
 */
public record SentCounts(Map<SourceKind, Count> byVersion) {
  /**
   * Counts of one version.
   *
   * @param datagrams handed to the network
   * @param datagramBytes their payload's bytes
   * @param flows records in them that are flows
   * @param bytes sum of the flows' bytes as exported
   * @param packets sum of the flows' packets as exported
   */
  public record Count(long datagrams, long datagramBytes, long flows, long bytes, long packets) {
    static final Count ZERO = new Count(0, 0, 0, 0, 0);

    Count plus(Count other) {
      return new Count(
          datagrams + other.datagrams,
          datagramBytes + other.datagramBytes,
          flows + other.flows,
          bytes + other.bytes,
          packets + other.packets);
    }
  }

  public SentCounts {
    byVersion = Map.copyOf(byVersion);
  }

  /** The sum over all versions. */
  public Count total() {
    return byVersion.values().stream().reduce(Count.ZERO, Count::plus);
  }

  public long flows() {
    return total().flows();
  }
}
