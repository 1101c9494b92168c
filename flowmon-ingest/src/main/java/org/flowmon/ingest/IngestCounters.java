package org.flowmon.ingest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one input. Thread-safe; adding is cheap. */
public final class IngestCounters {
  private static final IngestCounter[] ALL = IngestCounter.values();

  private final LongAdder[] adders = new LongAdder[ALL.length];

  public IngestCounters() {
    for (int i = 0; i < adders.length; i++) {
      adders[i] = new LongAdder();
    }
  }

  public void add(IngestCounter counter, long count) {
    adders[counter.ordinal()].add(count);
  }

  public void increment(IngestCounter counter) {
    adders[counter.ordinal()].increment();
  }

  public long get(IngestCounter counter) {
    return adders[counter.ordinal()].sum();
  }

  /** Adds all counts of another input. */
  public void addAll(IngestCounters other) {
    for (int i = 0; i < adders.length; i++) {
      adders[i].add(other.adders[i].sum());
    }
  }

  /** The counts of several inputs together, as they are now. */
  public static IngestCounters sum(Iterable<IngestCounters> inputs) {
    IngestCounters all = new IngestCounters();
    inputs.forEach(all::addAll);
    return all;
  }

  /** Label → count of the counters that are not 0, in the order of {@link IngestCounter}. */
  public Map<String, Long> snapshot() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (IngestCounter counter : ALL) {
      long count = get(counter);
      if (count != 0) {
        counts.put(counter.label(), count);
      }
    }
    return counts;
  }

  /** Losses by their unit; units are never added together. */
  public Map<String, Long> lost() {
    Map<String, Long> lost = new TreeMap<>();
    for (IngestCounter counter : ALL) {
      if (counter.isLoss() && get(counter) != 0) {
        lost.merge(counter.unit(), get(counter), Long::sum);
      }
    }
    return lost;
  }

  @Override
  public String toString() {
    return snapshot().toString();
  }
}
