package org.flowmon.udaf.tuning;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;

/**
 * Measures the cost of each low half of a function on a sample of rows, both levels together. Pads
 * leave as in the table, scaled down like the sample so that as many rows lose their place; their
 * sub-states are merged into states, which are thrown away. Runs in steps of some tenths of a
 * millisecond, each choice in turn, so that other load of the machine affects all of them. Not
 * thread-safe.
 */
final class LowHalfTrial {
  private static final int FLUSHED_AT_ONCE = 64;

  /** Steps of one choice before the next: its states are loaded into caches only once. */
  private static final int TURN = 16;

  /** Chunks of the sample that are processed before the measurement. */
  private static final int WARM_UP = 8;

  private final LowHalfSample sample;
  private final int chunks;
  private final int rounds;
  private final LongSupplier nanos;
  private final Lane[] lanes;
  private final int[] selection = new int[Vector.CAPACITY];
  private final int[] places = new int[Vector.CAPACITY];
  private int lane;
  private int turn;

  /**
   * A trial that has not begun; arguments are indexes among the sample's, slots are powers of two.
   *
   * @param rounds measured passes over the sample, at least one; before them its first rows warm up
   *     the compiler and caches
   */
  LowHalfTrial(
      LowHalfSample sample,
      List<BoundUdaf> choices,
      List<Integer> arguments,
      int[] slots,
      int rounds,
      LongSupplier nanos) {
    this.sample = sample;
    this.chunks = sample.settle();
    this.rounds = rounds;
    this.nanos = nanos;
    this.lanes = new Lane[choices.size()];
    for (int c = 0; c < lanes.length; c++) {
      lanes[c] = new Lane(choices.get(c), arguments, Math.max(2, slots[c] >> sample.level()));
    }
    Arrays.setAll(selection, i -> i);
  }

  /** Does a step; returns whether it was the last. */
  boolean step() {
    Lane next = lanes[lane];
    long start = nanos.getAsLong();
    next.step();
    next.nanos += nanos.getAsLong() - start;
    if (++turn < TURN && !next.isDone()) {
      return false;
    }
    turn = 0;
    lane = (lane + 1) % lanes.length;
    for (int skipped = 0; lanes[lane].isDone(); lane = (lane + 1) % lanes.length) {
      if (++skipped == lanes.length) {
        return true;
      }
    }
    return false;
  }

  /** Nanoseconds of a row, by choice. */
  double[] costs() {
    double[] costs = new double[lanes.length];
    double rows = (double) sample.rows() * rounds;
    for (int c = 0; c < costs.length; c++) {
      costs[c] = lanes[c].nanos / rows;
    }
    return costs;
  }

  /** Rows processed by all low halves together. */
  long passes() {
    long warmUp = Math.min(sample.rows(), WARM_UP * Vector.CAPACITY);
    return (warmUp + (long) sample.rows() * rounds) * lanes.length;
  }

  /** One of the choices. */
  private final class Lane {
    private final BoundUdaf function;
    private final SubAggregate low;
    private final int words;
    private final List<Integer> argumentPlaces;
    private final Vector[] arguments;
    private final long[] pads;
    // By slot: its group, −1 if it is empty.
    private final int[] slots;
    private final SuperState[] states;
    private final StateSink sink = new StateSink();
    private SuperAggregate high;
    // The first round, 0, processes only some rows.
    private int round;
    private int chunk;
    private int epoch;
    private int flushed;
    private long nanos;

    Lane(BoundUdaf function, List<Integer> argumentPlaces, int slots) {
      this.function = function;
      this.low = function.subAggregate();
      this.words = low.words();
      this.argumentPlaces = argumentPlaces;
      this.arguments = new Vector[argumentPlaces.size()];
      this.pads = new long[sample.groups() * words];
      this.slots = new int[slots];
      this.states = new SuperState[sample.groups()];
      begin();
    }

    private void begin() {
      Arrays.fill(slots, -1);
      for (int g = 0; g < states.length; g++) {
        low.initialize(pads, g * words);
        states[g] = null;
      }
      high = function.superAggregate();
      chunk = 0;
      epoch = 0;
      flushed = 0;
    }

    boolean isDone() {
      return round > rounds;
    }

    void step() {
      if (chunk < (round == 0 ? Math.min(WARM_UP, chunks) : chunks)) {
        add(chunk++);
        return;
      }
      int to = Math.min(states.length, flushed + FLUSHED_AT_ONCE);
      for (; flushed < to; flushed++) {
        flush(flushed);
      }
      if (flushed == states.length) {
        finish();
      }
    }

    private void finish() {
      for (int g = 0; g < states.length; g++) {
        low.destroy(pads, g * words);
        if (states[g] != null) {
          states[g].destroy();
        }
      }
      if (++round <= rounds) {
        nanos = round == 1 ? 0 : nanos;
        begin();
      }
    }

    private void add(int number) {
      Vector[] all = sample.chunk(number);
      for (int a = 0; a < arguments.length; a++) {
        arguments[a] = all[argumentPlaces.get(a)];
      }
      int first = number * Vector.CAPACITY;
      int n = Math.min(Vector.CAPACITY, sample.rows() - first);
      int added = 0;
      for (int r = 0; r < n; r++) {
        if (sample.epoch(first + r) != epoch) {
          iterate(added, r);
          added = r;
          endEpoch(sample.epoch(first + r));
        }
        int group = sample.group(first + r);
        int lost = claim(group, sample.hash(first + r));
        if (lost >= 0) {
          iterate(added, r);
          added = r;
          flush(lost);
        }
        places[r] = group * words;
      }
      iterate(added, n);
    }

    private void endEpoch(int next) {
      epoch = next;
      for (int g = 0; g < states.length; g++) {
        flush(g);
      }
      Arrays.fill(slots, -1);
    }

    /** Finds a slot as the table does; returns the group that loses it, −1 if there is none. */
    private int claim(int group, long hash) {
      int at = (int) hash & slots.length - 1;
      if (slots[at] == group) {
        return -1;
      }
      int second = (int) (hash >>> 32) & slots.length - 1;
      if (slots[at] >= 0 && (slots[second] < 0 || slots[second] == group)) {
        at = second;
      }
      int before = slots[at];
      slots[at] = group;
      return before == group ? -1 : before;
    }

    private void iterate(int from, int to) {
      int at = from;
      while (at < to) {
        at = low.iterate(arguments, selection, at, to, pads, places, 0);
        if (at < to) {
          flush(places[at] / words);
        }
      }
    }

    private void flush(int group) {
      sink.clear();
      low.output(pads, group * words, sink);
      low.destroy(pads, group * words);
      low.initialize(pads, group * words);
      if (sink.size() > 0) {
        if (states[group] == null) {
          states[group] = high.initialize();
        }
        states[group].merge(sink.reader("a sub-state"));
      }
    }
  }
}
