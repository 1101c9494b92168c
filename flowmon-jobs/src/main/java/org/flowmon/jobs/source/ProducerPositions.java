package org.flowmon.jobs.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowBatch;

/**
 * The positions of all producers in the partitions that one task reads.
 *
 * <p>Each partition has up to {@link #PRODUCERS} established producers, with several batches taken,
 * and as many newcomers. A newcomer displaces the longest silent newcomer. It takes the place of an
 * established producer only if that has been silent for {@link #IDLE_MICROS}; a producer at work is
 * never silent for more than a second. So messages with made-up ids displace one another.
 *
 * <p>After a restart every task is given the positions of all partitions, because Kafka's
 * partitions and operator state are distributed by different rules. A position only ever grows: of
 * two for the same stream the larger is right, equally large ones are merged, and a stale one does
 * no harm. A task writes the positions of the partitions it has read since the restart. Those of
 * other partitions are written by one task each, so that nothing is forgotten and little is written
 * twice.
 */
final class ProducerPositions {
  /** The most producers of each kind in one partition; each start is a new producer. */
  static final int PRODUCERS = 64;

  /** A producer that has not advanced for this long, by the others of its partition, is idle. */
  static final long IDLE_MICROS = 600_000_000L;

  /** How long a producer must go on far after its last number before it is believed. */
  static final long FAR_MICROS = 10_000_000L;

  private final Map<String, Partition> byPartition = new HashMap<>();
  private Partition current = new Partition();
  private String currentKey;

  /** Producers of one partition. */
  private static final class Partition {
    private final Map<Long, ProducerPosition> established = new HashMap<>();
    // The one whose last batch was taken longest ago comes first.
    private final LinkedHashMap<Long, ProducerPosition> newcomers = new LinkedHashMap<>();
    private long latest = Long.MIN_VALUE;
    // Flows of messages that were refused before any arrival was known.
    private long untold;
    private boolean read;
    // Batches far after the last of their producers, the successive ones of each.
    private final LinkedHashMap<Long, FarRun> far = new LinkedHashMap<>();

    ProducerPosition get(long producerId) {
      ProducerPosition position = established.get(producerId);
      return position != null ? position : newcomers.get(producerId);
    }

    void put(ProducerPosition position) {
      far.remove(position.producerId());
      latest = Math.max(latest, position.arrival());
      if (established.containsKey(position.producerId())) {
        established.put(position.producerId(), position);
        return;
      }
      newcomers.remove(position.producerId());
      if (position.isEstablished() && (established.size() < PRODUCERS || makesRoom())) {
        established.put(position.producerId(), position);
      } else {
        addNewcomer(position);
      }
    }

    private void addNewcomer(ProducerPosition position) {
      newcomers.put(position.producerId(), position);
      if (newcomers.size() > PRODUCERS) {
        Iterator<Long> oldest = newcomers.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
    }

    /** Makes the longest silent producer a newcomer again if it is idle; returns whether it is. */
    private boolean makesRoom() {
      ProducerPosition oldest = null;
      for (ProducerPosition position : established.values()) {
        if (oldest == null || position.arrival() < oldest.arrival()) {
          oldest = position;
        }
      }
      if (oldest == null || oldest.arrival() >= latest - IDLE_MICROS) {
        return false;
      }
      established.remove(oldest.producerId());
      addNewcomer(oldest);
      return true;
    }
  }

  /** Returns the position of a producer, null if it was never seen. */
  ProducerPosition get(String sourceKey, long producerId) {
    return select(sourceKey).get(producerId);
  }

  /**
   * Returns the largest arrival that a partition has reached; the smallest long if it is unknown.
   */
  long latest(String sourceKey) {
    return select(sourceKey).latest;
  }

  void put(ProducerPosition position) {
    select(position.sourceKey()).put(position);
  }

  /** Changes the position of a known producer without a new batch. */
  void update(ProducerPosition position) {
    Partition partition = select(position.sourceKey());
    if (partition.established.replace(position.producerId(), position) == null) {
      partition.newcomers.replace(position.producerId(), position);
    }
  }

  /**
   * Successive batches of a producer that lie so far after its last that no gap explains them. Not
   * in a checkpoint: after a restart it takes as long again.
   *
   * @param next number of the next batch
   * @param count number of these batches
   * @param since the partition's time when the first came
   */
  record FarRun(long next, int count, long since) {}

  /**
   * Takes a batch that lies far after its producer's last. The batch is to be refused until this
   * returns true: a run of such batches has gone on for {@link #FAR_MICROS} without a batch that
   * continues the last number, so the batches between are gone from the topic.
   *
   * <p>The time is that of the partition: the largest arrival that any batch taken, or this one,
   * has reached, which is no later than when it was sent. So forged messages do not silence a
   * producer that sends each second with a right clock, however many come at once and whatever
   * their arrivals. A forger who sends for this long while the producer is away, or trails as far,
   * does silence it; so does one message with a number that a gap explains.
   *
   * @return whether the batch is to be taken
   */
  boolean far(PositionedBatch record) {
    Partition partition = select(record.sourceKey());
    FlowBatch batch = record.batch();
    long reached = Math.max(partition.latest, record.reached());
    FarRun before = partition.far.remove(batch.producerId());
    boolean goesOn = before != null && before.next() == batch.sequence();
    FarRun run = goesOn ? before : new FarRun(0, 0, reached);
    if (run.count() >= ProducerPosition.ESTABLISHED && reached - run.since() >= FAR_MICROS) {
      return true;
    }
    partition.far.put(
        batch.producerId(), new FarRun(batch.sequence() + 1, run.count() + 1, run.since()));
    if (partition.far.size() > PRODUCERS) {
      Iterator<Long> oldest = partition.far.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    return false;
  }

  /** Keeps lost flows of a partition without a known arrival until its first batch. */
  void addUntold(String sourceKey, long flows) {
    select(sourceKey).untold += flows;
  }

  /** Returns the {@linkplain #addUntold kept} flows, once: to be reported with a taken batch. */
  long takeUntold(String sourceKey) {
    Partition partition = select(sourceKey);
    // With a known arrival they were reported: flows that a task kept from before a restart are
    // stale.
    long untold = partition.latest == Long.MIN_VALUE ? partition.untold : 0;
    partition.untold = 0;
    return untold;
  }

  // Each source key has one instance, and batches of a partition come in runs: mostly one
  // comparison.
  @SuppressWarnings("ReferenceEquality")
  private Partition select(String sourceKey) {
    if (sourceKey != currentKey) {
      current = byPartition.computeIfAbsent(sourceKey, key -> new Partition());
      currentKey = sourceKey;
      current.read = true;
    }
    return current;
  }

  /** Takes a position from a checkpoint. */
  void restore(ProducerPosition position) {
    Partition partition = byPartition.computeIfAbsent(position.sourceKey(), key -> new Partition());
    ProducerPosition known = partition.get(position.producerId());
    partition.put(known == null ? position : known.joined(position));
  }

  /** Restores kept flows of a partition; called as often as tasks wrote them. */
  void restoreUntold(String sourceKey, long flows) {
    Partition partition = byPartition.computeIfAbsent(sourceKey, key -> new Partition());
    partition.untold = Math.max(partition.untold, flows);
  }

  /** Returns the kept flows that a task writes to a checkpoint, by partition. */
  Map<String, Long> snapshotUntold(int task, int tasks) {
    Map<String, Long> kept = new HashMap<>();
    byPartition.forEach(
        (sourceKey, partition) -> {
          if (partition.untold > 0
              && (partition.read || Math.floorMod(sourceKey.hashCode(), tasks) == task)) {
            kept.put(sourceKey, partition.untold);
          }
        });
    return kept;
  }

  /** Returns the positions that a task writes to a checkpoint. */
  List<ProducerPosition> snapshot(int task, int tasks) {
    List<ProducerPosition> positions = new ArrayList<>();
    byPartition.forEach(
        (sourceKey, partition) -> {
          if (partition.read || Math.floorMod(sourceKey.hashCode(), tasks) == task) {
            positions.addAll(partition.established.values());
            positions.addAll(partition.newcomers.values());
          }
        });
    return positions;
  }
}
