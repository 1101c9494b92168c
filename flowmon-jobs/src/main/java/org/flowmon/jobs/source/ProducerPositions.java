package org.flowmon.jobs.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowBatch;
import org.jspecify.annotations.Nullable;

/**
 * The positions of all producers in the partitions that one task reads.
 *
 * <p>Each partition has up to {@link #PRODUCERS} established producers, with several batches taken,
 * and as many newcomers. A newcomer displaces the longest silent newcomer, and an established one
 * only if silent for {@link #IDLE_MICROS}; at work none is silent for over a second. So messages
 * with made-up ids displace one another.
 *
 * <p>After a restart every task gets all positions: Kafka's partitions and operator state are
 * distributed by different rules. Positions only grow: of two of a stream the larger is right,
 * equally large ones are merged, a stale one does no harm. A task writes those of partitions it has
 * read since; of others one task each, so that nothing is forgotten and little written twice.
 */
final class ProducerPositions {
  /** Of each kind in one partition; each start is a new producer. */
  static final int PRODUCERS = 64;

  /** A producer that has not advanced for so long, by its partition's others, is idle. */
  static final long IDLE_MICROS = 600_000_000L;

  /** How long a producer must go on far after its last number to be believed. */
  static final long FAR_MICROS = 10_000_000L;

  private final Map<String, Partition> byPartition = new HashMap<>();
  private Partition current = new Partition();
  private String currentKey = "";

  /** Producers of one partition. */
  private static final class Partition {
    private final Map<Long, ProducerPosition> established = new HashMap<>();
    // The one whose last batch was taken longest ago is first.
    private final LinkedHashMap<Long, ProducerPosition> newcomers = new LinkedHashMap<>();
    private long latest = Long.MIN_VALUE;
    // Refused before any arrival was known.
    private long untold;
    private boolean read;
    // Successive batches far after their producer's last.
    private final LinkedHashMap<Long, FarRun> far = new LinkedHashMap<>();

    @Nullable ProducerPosition get(long producerId) {
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

    /** Makes the longest silent producer a newcomer again if idle; returns whether it is. */
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

  /** Null if it was never seen. */
  @Nullable ProducerPosition get(String sourceKey, long producerId) {
    return select(sourceKey).get(producerId);
  }

  /** The largest arrival that a partition has reached; the smallest long if unknown. */
  long latest(String sourceKey) {
    return select(sourceKey).latest;
  }

  void put(ProducerPosition position) {
    select(position.sourceKey()).put(position);
  }

  void update(ProducerPosition position) {
    Partition partition = select(position.sourceKey());
    if (partition.established.replace(position.producerId(), position) == null) {
      partition.newcomers.replace(position.producerId(), position);
    }
  }

  /**
   * A producer's successive batches, next to come {@code next}, so far after its last that no gap
   * explains them; {@code since}: the partition's time at the first. Not in a checkpoint: a restart
   * takes as long again.
   */
  record FarRun(long next, int count, long since) {}

  /**
   * Takes a batch far after its producer's last. It is to be refused until this returns true: such
   * a run has gone on for {@link #FAR_MICROS} without one that continues the last number, so the
   * batches between are gone from the topic.
   *
   * <p>Time is the partition's: the largest arrival that any taken batch, or this, has reached, no
   * later than when sent. So forged messages, however many and whatever their arrivals, do not
   * silence a producer that sends each second with a right clock. A forger who sends for so long
   * while it is away, or trails as far, does; so does one message with a number that a gap
   * explains.
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

  /** The {@linkplain #addUntold kept} flows, once: to be reported with a taken batch. */
  long takeUntold(String sourceKey) {
    Partition partition = select(sourceKey);
    // With a known arrival they were reported: those kept from before a restart are stale.
    long untold = partition.latest == Long.MIN_VALUE ? partition.untold : 0;
    partition.untold = 0;
    return untold;
  }

  // One instance per source key, batches in runs: mostly one comparison.
  @SuppressWarnings("ReferenceEquality")
  private Partition select(String sourceKey) {
    if (sourceKey != currentKey) {
      current = byPartition.computeIfAbsent(sourceKey, key -> new Partition());
      currentKey = sourceKey;
      current.read = true;
    }
    return current;
  }

  void restore(ProducerPosition position) {
    Partition partition = byPartition.computeIfAbsent(position.sourceKey(), key -> new Partition());
    ProducerPosition known = partition.get(position.producerId());
    partition.put(known == null ? position : known.joined(position));
  }

  /** Called as often as tasks wrote them. */
  void restoreUntold(String sourceKey, long flows) {
    Partition partition = byPartition.computeIfAbsent(sourceKey, key -> new Partition());
    partition.untold = Math.max(partition.untold, flows);
  }

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
