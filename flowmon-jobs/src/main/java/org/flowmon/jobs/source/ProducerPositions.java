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
 * <p>Of each partition so many are remembered that are established, as some batches of them were
 * taken, and as many newcomers. A newcomer makes another newcomer forgotten, the longest silent
 * one, and takes the place of an established producer only where that has been silent for {@link
 * #IDLE_MICROS}; a producer at work is never silent for more than a second. So messages with ids
 * that somebody made up drive out each other.
 *
 * <p>After a restart every task is given the positions of all partitions, because Kafka's
 * partitions and operator state are dealt out by different rules. A position only ever grows, so of
 * two for the same stream the larger is right, of two as large what both say, and a stale one does
 * no harm. What a task has not seen since the restart is written by one task only, so that nothing
 * is forgotten and little is written twice.
 */
final class ProducerPositions {
  /** Producers of each kind that are remembered of one partition; each start is a new producer. */
  static final int PRODUCERS = 64;

  /** A producer that has reached nothing for so long, by the others of its partition, is idle. */
  static final long IDLE_MICROS = 600_000_000L;

  /** So long a producer goes on far after its last number before that is believed. */
  static final long FAR_MICROS = 10_000_000L;

  private final Map<String, Partition> byPartition = new HashMap<>();
  private Partition current = new Partition();
  private String currentKey;

  /** Producers of one partition. */
  private static final class Partition {
    private final Map<Long, ProducerPosition> established = new HashMap<>();
    // Those whose last batch was taken longest ago come first.
    private final LinkedHashMap<Long, ProducerPosition> newcomers = new LinkedHashMap<>();
    private long latest = Long.MIN_VALUE;
    // Flows of messages that were refused before any arrival was known.
    private long untold;
    private boolean read;
    // Batches far after the last of their producers, of each those that follow one another.
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

    /** The longest silent producer becomes a newcomer again where it is idle. */
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

  /** The position of a producer, null where it was never seen. */
  ProducerPosition get(String sourceKey, long producerId) {
    return select(sourceKey).get(producerId);
  }

  /** The largest arrival that a partition has reached, as far as it is known; else the smallest. */
  long latest(String sourceKey) {
    return select(sourceKey).latest;
  }

  void put(ProducerPosition position) {
    select(position.sourceKey()).put(position);
  }

  /** Changes what is known of a producer that is known and of which nothing came. */
  void update(ProducerPosition position) {
    Partition partition = select(position.sourceKey());
    if (partition.established.replace(position.producerId(), position) == null) {
      partition.newcomers.replace(position.producerId(), position);
    }
  }

  /**
   * Batches of a producer that lie so far after its last that no gap explains them, and follow one
   * another. Not in a checkpoint: after a restart it takes as long again.
   *
   * @param next number of the one that would be next
   * @param count how many these are
   * @param since how far its partition had come when the first came
   */
  record FarRun(long next, int count, long since) {}

  /**
   * Takes in a batch that lies so far after its producer's last. It is to be refused unless this
   * tells otherwise: when a run of them has gone on for {@link #FAR_MICROS} and nothing came that
   * followed the last, what lies between is gone from the topic.
   *
   * <p>The time is that of the partition: the largest arrival that any batch taken, or this one,
   * has reached, which is no later than when it was sent. So messages in the name of a producer
   * that sends each second and whose clock is right do not silence it by such numbers, however many
   * come at once and whichever arrivals they say. Who sends for so long while the producer is away,
   * or trails as far, does; and so does one message with a number that a gap explains.
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

  /** Keeps lost flows of a partition of which no arrival is known until its first batch. */
  void addUntold(String sourceKey, long flows) {
    select(sourceKey).untold += flows;
  }

  /** Gives what is {@linkplain #addUntold kept}, once: to be told with a batch that is taken. */
  long takeUntold(String sourceKey) {
    Partition partition = select(sourceKey);
    // Where an arrival is known it was told: what a task kept from before a restart is stale.
    long untold = partition.latest == Long.MIN_VALUE ? partition.untold : 0;
    partition.untold = 0;
    return untold;
  }

  // One instance stands for each source key, and batches of a partition come in runs: mostly one
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

  /** Takes from a checkpoint what was kept of a partition; as often as tasks wrote it. */
  void restoreUntold(String sourceKey, long flows) {
    Partition partition = byPartition.computeIfAbsent(sourceKey, key -> new Partition());
    partition.untold = Math.max(partition.untold, flows);
  }

  /** What a task writes to a checkpoint of flows that are kept, by partition. */
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

  /** What a task writes to a checkpoint. */
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
