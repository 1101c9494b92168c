package org.flowmon.ingest.spool;

import java.util.Map;
import java.util.TreeMap;

/** Numbers of batches, by partition, and of their flows. Not thread-safe. */
public final class SpoolContents {
  private final Map<Integer, Integer> batches = new TreeMap<>();
  private long flows;

  void add(int partition, int rows) {
    count(partition, 1, rows);
  }

  void remove(int partition, int rows) {
    count(partition, -1, -rows);
  }

  void addAll(SpoolContents other) {
    other.batches.forEach((partition, more) -> count(partition, more, 0));
    flows += other.flows;
  }

  SpoolContents takeAll() {
    SpoolContents taken = new SpoolContents();
    taken.addAll(this);
    batches.clear();
    flows = 0;
    return taken;
  }

  private void count(int partition, int more, int rows) {
    int now = batches.merge(partition, more, Integer::sum);
    if (now == 0) {
      batches.remove(partition);
    }
    flows += rows;
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  /** Partition → batches, heartbeats among them. */
  public Map<Integer, Integer> byPartition() {
    return Map.copyOf(batches);
  }

  public long batches() {
    return batches.values().stream().mapToLong(Integer::longValue).sum();
  }

  public long flows() {
    return flows;
  }
}
