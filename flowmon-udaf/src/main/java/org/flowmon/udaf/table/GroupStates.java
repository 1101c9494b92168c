package org.flowmon.udaf.table;

import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupFunction;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.function.StateReader;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.function.SuperAggregate;
import org.flowmon.udaf.function.SuperState;

/**
 * The states that functions keep of the groups of a {@link GroupTable}, by function and group. Rows
 * pass scratchpads first, which groups take in turn. Not thread-safe.
 */
final class GroupStates {
  private final OfFunction[] functions;
  private final StateSink sink = new StateSink();

  GroupStates(GroupLayout layout) {
    List<GroupFunction> all = layout.functions();
    this.functions = new OfFunction[all.size()];
    for (int f = 0; f < functions.length; f++) {
      functions[f] = new OfFunction(all.get(f));
    }
  }

  /** The states of one function. */
  private static final class OfFunction {
    private final GroupFunction function;
    private final SuperAggregate high;
    // By group; null where it has none yet.
    private SuperState[] states = {};
    private long bytes;
    // Made when rows are first added: most tables only merge what others made.
    private ScratchPads pads;

    OfFunction(GroupFunction function) {
      this.function = function;
      this.high = function.high();
    }

    SuperState known(int group) {
      return group < states.length ? states[group] : null;
    }

    private void makeRoom(int group) {
      if (group >= states.length) {
        states = Arrays.copyOf(states, Math.max(group + 1, Math.max(16, 2 * states.length)));
      }
    }

    /** Takes the state of a group that has none yet. */
    void put(int group, SuperState state) {
      makeRoom(group);
      states[group] = state;
      bytes += state.memoryBytes();
    }

    /** The state of a group, which is going to change. */
    SuperState changing(int group) {
      makeRoom(group);
      SuperState state = states[group];
      if (state == null) {
        state = high.initialize();
        states[group] = state;
      } else {
        bytes -= state.memoryBytes();
      }
      return state;
    }

    void merge(int group, StateReader reader) {
      SuperState state = changing(group);
      try {
        state.merge(reader);
      } finally {
        bytes += state.memoryBytes();
      }
    }

    void settle() {
      if (pads != null) {
        pads.empty();
      }
    }

    void clear() {
      if (pads != null) {
        pads.forget();
      }
      for (SuperState state : states) {
        if (state != null) {
          state.destroy();
        }
      }
      states = new SuperState[0];
      bytes = 0;
    }
  }

  int count() {
    return functions.length;
  }

  /**
   * Adds rows.
   *
   * @param arguments a vector for each argument of the layout
   * @param groups by selected row: its group
   */
  void add(Vector[] arguments, int[] selection, int n, int[] groups) {
    for (OfFunction of : functions) {
      if (of.pads == null) {
        of.pads = new ScratchPads(of.function.low(), of::merge);
      }
      of.pads.add(of.function.vectors(arguments), selection, n, groups);
    }
  }

  /** Merges the states of a group of another table. */
  void merge(int group, GroupStates other, int from) {
    other.settle();
    for (int f = 0; f < functions.length; f++) {
      SuperState state = other.functions[f].known(from);
      if (state != null) {
        sink.clear();
        state.output(sink);
        functions[f].merge(group, sink.reader("a state"));
      }
    }
  }

  /** Merges bytes into the state of a group; none are nothing. */
  void merge(int function, int group, StateReader state) {
    functions[function].merge(group, state);
  }

  /**
   * Takes over the states of a group of another table as they are, from then on only to be read.
   */
  void share(int group, GroupStates other, int from) {
    other.settle();
    for (int f = 0; f < functions.length; f++) {
      SuperState state = other.functions[f].known(from);
      if (state != null) {
        functions[f].put(group, state);
      }
    }
  }

  /** The state of a group, one without rows where it has none: only to be read. */
  SuperState state(int function, int group) {
    OfFunction of = functions[function];
    of.settle();
    SuperState state = of.known(group);
    return state == null ? of.high.initialize() : state;
  }

  /** Appends the state of a group; nothing where it has none. */
  void output(int function, int group, StateSink to) {
    OfFunction of = functions[function];
    of.settle();
    SuperState state = of.known(group);
    if (state != null) {
      state.output(to);
    }
  }

  private void settle() {
    for (OfFunction of : functions) {
      of.settle();
    }
  }

  void clear() {
    for (OfFunction of : functions) {
      of.clear();
    }
  }

  long heapBytes() {
    long bytes = 0;
    for (OfFunction of : functions) {
      bytes += of.bytes + 8L * of.states.length + (of.pads == null ? 0 : of.pads.heapBytes());
    }
    return bytes;
  }
}
