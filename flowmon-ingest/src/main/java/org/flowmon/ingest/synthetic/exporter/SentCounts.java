package org.flowmon.ingest.synthetic.exporter;

import java.util.EnumMap;
import java.util.Map;
import org.flowmon.flow.SourceKind;

/** By export version that was sent, before the network could lose anything. */
public record SentCounts(Map<SourceKind, Count> byVersion) {
  /** Bytes and packets are as exported, {@code datagramBytes} are payload. */
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

  SentCounts plus(SentCounts other) {
    Map<SourceKind, Count> sum = new EnumMap<>(SourceKind.class);
    sum.putAll(byVersion);
    other.byVersion.forEach((version, count) -> sum.merge(version, count, Count::plus));
    return new SentCounts(sum);
  }

  public Count total() {
    return byVersion.values().stream().reduce(Count.ZERO, Count::plus);
  }

  public long flows() {
    return total().flows();
  }
}
