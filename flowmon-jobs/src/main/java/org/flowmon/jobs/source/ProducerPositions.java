package org.flowmon.jobs.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The positions of all producers in the partitions that one task reads.
 *
 * <p>After a restart every task is given the positions of all partitions, because Kafka's
 * partitions and operator state are dealt out by different rules. A position only ever grows, so of
 * two for the same stream the larger is right, and a stale one does no harm. What a task has not
 * seen since the restart is written by one task only, so that nothing is forgotten and little is
 * written twice.
 */
final class ProducerPositions {
  /** Producers that are remembered of one partition; each start of a producer is a new one. */
  static final int PRODUCERS = 64;

  private final Map<String, Map<Long, ProducerPosition>> byPartition = new HashMap<>();
  private final Map<String, Boolean> read = new HashMap<>();
  private Map<Long, ProducerPosition> current = Map.of();
  private String currentKey;

  /** The position of a producer, null where it was never seen. */
  ProducerPosition get(String sourceKey, long producerId) {
    select(sourceKey);
    return current.get(producerId);
  }

  /** The largest arrival in a partition, as far as its producers are known; else the smallest. */
  long latest(String sourceKey) {
    select(sourceKey);
    long latest = Long.MIN_VALUE;
    for (ProducerPosition position : current.values()) {
      latest = Math.max(latest, position.arrival());
    }
    return latest;
  }

  void put(ProducerPosition position) {
    select(position.sourceKey());
    current.put(position.producerId(), position);
    if (current.size() > PRODUCERS) {
      forgetOldestBut(position);
    }
  }

  // One instance stands for each source key, and batches of a partition come in runs: mostly one
  // comparison.
  @SuppressWarnings("ReferenceEquality")
  private void select(String sourceKey) {
    if (sourceKey != currentKey) {
      current = byPartition.computeIfAbsent(sourceKey, key -> new HashMap<>());
      currentKey = sourceKey;
      read.put(sourceKey, true);
    }
  }

  /** A producer that begins now may send old flows, a file's say: it is not the one to forget. */
  private void forgetOldestBut(ProducerPosition newest) {
    ProducerPosition oldest = null;
    for (ProducerPosition position : current.values()) {
      if (position.producerId() != newest.producerId()
          && (oldest == null || position.arrival() < oldest.arrival())) {
        oldest = position;
      }
    }
    current.remove(oldest.producerId());
  }

  /** Takes a position from a checkpoint. */
  void restore(ProducerPosition position) {
    byPartition
        .computeIfAbsent(position.sourceKey(), key -> new HashMap<>())
        .merge(position.producerId(), position, (a, b) -> a.next() >= b.next() ? a : b);
  }

  /** What a task writes to a checkpoint. */
  List<ProducerPosition> snapshot(int task, int tasks) {
    List<ProducerPosition> positions = new ArrayList<>();
    byPartition.forEach(
        (sourceKey, producers) -> {
          if (read.containsKey(sourceKey) || Math.floorMod(sourceKey.hashCode(), tasks) == task) {
            positions.addAll(producers.values());
          }
        });
    return positions;
  }
}
