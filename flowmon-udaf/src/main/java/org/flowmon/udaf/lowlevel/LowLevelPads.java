package org.flowmon.udaf.lowlevel;

import java.util.List;
import org.flowmon.udaf.aggregate.GroupFunction;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * The scratchpads of functions in the slots of a {@link LowLevelTable}, after the words of each
 * group's state. Not thread-safe.
 *
 * <pre>
 *   a slot: | mark | key words … | state words … | pad of the first function … | of the second … |
 * </pre>
 */
final class LowLevelPads {
  /** Handles a pad that a row does not fit. */
  @FunctionalInterface
  interface Full {
    /** Sends the pad on, of the group whose state starts at {@code state}. */
    void pad(int function, int state);
  }

  private final List<GroupFunction> functions;
  private final SubAggregate[] low;
  // By function: the start of its pad relative to the state.
  private final int[] words;
  private final Vector[][] arguments;

  private LowLevelPads(GroupLayout layout, SubAggregate[] low) {
    this.functions = layout.functions();
    this.low = low;
    this.words = new int[low.length];
    this.arguments = new Vector[low.length][];
    int next = layout.stateWords();
    for (int f = 0; f < low.length; f++) {
      words[f] = next;
      arguments[f] = new Vector[functions.get(f).arguments()];
      next += low[f].words();
    }
  }

  /** Null if the layout has no functions. */
  static @Nullable LowLevelPads of(GroupLayout layout, SubAggregate... low) {
    return layout.functions().isEmpty() ? null : new LowLevelPads(layout, low);
  }

  /** Longs of the pads of a group. */
  int padWords() {
    int sum = 0;
    for (SubAggregate one : low) {
      sum += one.words();
    }
    return sum;
  }

  void initialize(long[] data, int state) {
    for (int f = 0; f < low.length; f++) {
      low[f].initialize(data, state + words[f]);
    }
  }

  /** Adds rows to groups, whose states start at {@code places}; sends full pads on. */
  void add(
      Vector[] vectors, int[] selection, int from, int to, long[] data, int[] places, Full full) {
    for (int f = 0; f < low.length; f++) {
      functions.get(f).vectors(vectors, arguments[f]);
      int at = from;
      while (at < to) {
        at = low[f].iterate(arguments[f], selection, at, to, data, places, words[f]);
        if (at < to) {
          full.pad(f, places[at]);
          low[f].destroy(data, places[at] + words[f]);
          low[f].initialize(data, places[at] + words[f]);
        }
      }
    }
  }

  void output(int function, long[] data, int state, StateSink sink) {
    low[function].output(data, state + words[function], sink);
  }

  /** Destroys the pads of a leaving group; they were output or are dropped. */
  void destroy(long[] data, int state) {
    for (int f = 0; f < low.length; f++) {
      low[f].destroy(data, state + words[f]);
    }
  }
}
