package org.flowmon.bench.udaf;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;

/**
 * The two halves of a function over an epoch of tuples, each timed by itself. The pads of all
 * groups are in one array, as in the table of groups; at the epoch's end all are sent.
 *
 * <pre>
 *   tuples ─► low: pads by group ── sub-states, in the order in which pads are full ──► high: a state a group
 * </pre>
 */
final class Halves {
  private static final int WARM_UP = 2;

  private final BoundUdaf function;
  private final Tuples tuples;
  private final boolean eachRow;
  private final SubAggregate low;
  private final long[] pads;
  private final int[][] places;
  private final StateSink sink = new StateSink();

  // The low half's output: consecutive bytes, with the group and end of each sub-state.
  private final StateSink sent = new StateSink();
  private int[] groupOf = new int[1024];
  private int[] ends = new int[1024];
  private int count;

  /**
   * The cost of an epoch.
   *
   * @param lowNanos CPU per tuple in the low half
   * @param highNanos CPU per tuple in the high half
   * @param subStates sent from the low half to the high half
   * @param bytes of the sub-states
   * @param states of the groups, null for a group without tuples
   */
  record Cost(
      double lowNanos, double highNanos, long subStates, long bytes, List<SuperState> states) {
    double nanos() {
      return lowNanos + highNanos;
    }

    /** Heap of all states. */
    long stateBytes() {
      return states.stream().mapToLong(state -> state == null ? 0 : state.memoryBytes()).sum();
    }
  }

  /** The halves in their intended roles. */
  static Halves of(BoundUdaf function, Tuples tuples) {
    return new Halves(function, tuples, false);
  }

  /** The low half only passes each tuple on to the high half. */
  static Halves highOnly(BoundUdaf function, Tuples tuples) {
    return new Halves(function, tuples, true);
  }

  private Halves(BoundUdaf function, Tuples tuples, boolean eachRow) {
    this.function = function;
    this.tuples = tuples;
    this.eachRow = eachRow;
    this.low = function.subAggregate();
    int words = low.words();
    this.pads = new long[Math.multiplyExact(eachRow ? 1 : tuples.groups, words)];
    this.places = new int[tuples.groupOf.length][Vector.CAPACITY];
    if (!eachRow) {
      for (int b = 0; b < places.length; b++) {
        for (int i = 0; i < Vector.CAPACITY; i++) {
          places[b][i] = tuples.groupOf[b][i] * words;
        }
      }
    }
  }

  /** Whether pads and states of so many groups leave room in the heap. */
  static boolean fit(BoundUdaf function, int groups) {
    long bytes = 8L * function.subAggregate().words() * groups;
    return 3 * bytes < Runtime.getRuntime().maxMemory();
  }

  /** Runs epochs and returns the least time of each half. */
  Cost measure(int rounds) {
    double lowNanos = Double.POSITIVE_INFINITY;
    for (int round = -WARM_UP; round < rounds; round++) {
      long start = Samples.cpuNanos();
      low(false);
      if (round >= 0) {
        lowNanos = Math.min(lowNanos, (double) (Samples.cpuNanos() - start));
      }
    }
    low(true);
    double highNanos = Double.POSITIVE_INFINITY;
    SuperState[] states = null;
    for (int round = -WARM_UP; round < rounds; round++) {
      states = null; // before new ones are made
      long start = Samples.cpuNanos();
      states = high();
      if (round >= 0) {
        highNanos = Math.min(highNanos, (double) (Samples.cpuNanos() - start));
      }
    }
    List<SuperState> all = Arrays.asList(states);
    check(all);
    double rows = tuples.rows;
    return new Cost(lowNanos / rows, highNanos / rows, count, sent.size(), all);
  }

  private void low(boolean keep) {
    int words = low.words();
    for (int at = 0; at < pads.length; at += words) {
      low.initialize(pads, at);
    }
    for (int b = 0; b < places.length; b++) {
      Vector[] arguments = tuples.arguments[b];
      for (int next = 0; next < Vector.CAPACITY; ) {
        int to = eachRow ? next + 1 : Vector.CAPACITY;
        int stopped = low.iterate(arguments, tuples.selection, next, to, pads, places[b], 0);
        if (stopped < to || eachRow) {
          int row = eachRow ? next : stopped;
          flush(tuples.groupOf[b][row], places[b][row], keep);
          low.initialize(pads, places[b][row]);
        }
        next = stopped;
      }
    }
    for (int g = 0; g < tuples.groups && !eachRow; g++) {
      flush(g, g * words, keep);
    }
  }

  private void flush(int group, int at, boolean keep) {
    if (!keep) {
      sink.clear();
      low.output(pads, at, sink);
      return;
    }
    int before = sent.size();
    low.output(pads, at, sent);
    if (sent.size() == before) {
      return;
    }
    if (count == ends.length) {
      groupOf = Arrays.copyOf(groupOf, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    groupOf[count] = group;
    ends[count++] = sent.size();
  }

  private SuperState[] high() {
    SuperAggregate aggregate = function.superAggregate();
    SuperState[] states = new SuperState[tuples.groups];
    byte[] bytes = sent.array();
    for (int s = 0, from = 0; s < count; from = ends[s++]) {
      int group = groupOf[s];
      if (states[group] == null) {
        states[group] = aggregate.initialize();
      }
      states[group].merge(new StateReader(bytes, from, ends[s], "a sub-state"));
    }
    return states;
  }

  /** Checks that the states have all tuples, in every configuration. */
  private void check(List<SuperState> states) {
    boolean isBaseline = function instanceof SumBaseline;
    boolean isOfNumbers = function.call().name().equals("QUANTILES");
    long[] expected = isOfNumbers ? tuples.counts() : tuples.sums(function.arguments() - 1);
    Optional<BoundExtractor> total =
        isBaseline
            ? Optional.empty()
            : Optional.of(Functions.extractor(function, isOfNumbers ? "COUNT" : "TOTAL"));
    for (int g = 0; g < expected.length; g++) {
      SuperState state = states.get(g);
      long found =
          state == null
              ? 0
              : state instanceof SumBaseline.Sum sum
                  ? sum.sum()
                  : ((Estimate) total.orElseThrow().extract(state)).value().low();
      Run.require(
          found == expected[g],
          "group %d of %s: expected %d, found %d",
          g,
          function.call(),
          expected[g],
          found);
    }
  }
}
