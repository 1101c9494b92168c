package org.flowmon.udaf.group;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupFunction;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * The function states of a {@link GroupTable}, by function and group. Rows first go to scratchpads.
 * Each merge takes the growth of a state from the memory beforehand. Not thread-safe.
 */
public final class GroupStates {
  // Bytes merged between two cancellation checks, at 1 ns and more a byte.
  private static final long MOST_UNCHECKED = 1 << 20;
  private static final int WORK_OF_MERGE = 256;

  // Bytes of a state above which its buffer is not kept for others.
  private static final int LARGE = 1 << 20;

  private final OfFunction[] functions;
  private final MemoryDraw memory;
  private StateSink sink = new StateSink();

  GroupStates(GroupLayout layout, MemoryDraw memory) {
    this.memory = memory;
    List<GroupFunction> all = layout.functions();
    this.functions = new OfFunction[all.size()];
    for (int f = 0; f < functions.length; f++) {
      functions[f] = new OfFunction(all.get(f), memory);
    }
  }

  private static final class OfFunction {
    private final GroupFunction function;
    private final SuperAggregate high;
    private final MemoryDraw memory;
    // Of a state without rows, if there is a limit.
    private final long initialBytes;
    // By group; null if it has none yet.
    private @Nullable SuperState[] states = {};
    private long bytes;
    private long charged;
    private long unchecked; // work since the last cancellation check, in bytes
    // Groups that share their state with another table; null if there are none.
    private @Nullable BitSet shared;
    // Null before the first rows: most tables only merge states of others.
    private @Nullable ScratchPads pads;

    OfFunction(GroupFunction function, MemoryDraw memory) {
      this.function = function;
      this.high = function.high();
      this.memory = memory;
      this.initialBytes = memory.isLimited() ? high.initialize().memoryBytes() : 0;
    }

    @Nullable SuperState known(int group) {
      return group < states.length ? states[group] : null;
    }

    private void makeRoom(int group) {
      if (group >= states.length) {
        int length = Math.max(group + 1, Math.max(16, 2 * states.length));
        long before = 8L * states.length;
        memory.take(8L * length);
        states = Arrays.copyOf(states, length);
        memory.take(-before);
      }
    }

    void put(int group, SuperState state) {
      makeRoom(group);
      memory.take(state.memoryBytes());
      states[group] = state;
      count(state, 1);
    }

    void share(int group, SuperState state) {
      put(group, state);
      if (shared == null) {
        shared = new BitSet();
      }
      shared.set(group);
    }

    /** Removes and returns the state of a group, null if it has none. */
    @Nullable SuperState take(int group) {
      SuperState state = known(group);
      if (state != null) {
        count(state, -1);
        memory.take(-state.memoryBytes());
        states[group] = null;
        if (shared != null) {
          shared.clear(group);
        }
      }
      return state;
    }

    boolean isShared(int group) {
      return shared != null && shared.get(group);
    }

    private void count(SuperState state, int sign) {
      bytes += sign * state.memoryBytes();
      charged += sign * state.chargedBytes();
    }

    /** The state of a group, for a change. */
    private SuperState changing(int group) {
      makeRoom(group);
      SuperState state = states[group];
      if (state == null) {
        memory.take(initialBytes);
        state = high.initialize();
        states[group] = state;
        count(state, 1);
      } else if (isShared(group)) {
        memory.take(initialBytes);
        SuperState copy = high.initialize();
        StateSink own = new StateSink(); // another table's sink may hold the bytes to merge
        long uncounted = own.array().length;
        output(state, own, memory);
        merge(copy, own.reader("a state"));
        count(state, -1);
        count(copy, 1);
        memory.take(uncounted - own.array().length - state.memoryBytes());
        states[group] = copy;
        if (shared != null) {
          shared.clear(group);
        }
        return copy;
      }
      return state;
    }

    void merge(int group, StateReader reader) {
      SuperState state = changing(group);
      count(state, -1);
      try {
        merge(state, reader);
      } finally {
        count(state, 1);
      }
    }

    /** Takes the possible growth from the memory, and gives back the unused part. */
    private void merge(SuperState state, StateReader reader) {
      if (!memory.isLimited()) {
        state.merge(reader);
        return;
      }
      unchecked += reader.remaining() + WORK_OF_MERGE;
      if (unchecked > MOST_UNCHECKED) {
        unchecked = 0;
        memory.check();
      }
      long before = state.memoryBytes();
      long most = state.growth(reader);
      memory.take(most);
      try {
        state.merge(reader);
      } finally {
        memory.take(state.memoryBytes() - before - most);
      }
    }

    /** They are as large for one group as for all. */
    private ScratchPads pads() {
      if (pads == null) {
        memory.take(ScratchPads.heapBytes(function.low()));
        pads = new ScratchPads(function.low(), this::merge);
      }
      return pads;
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
      for (int group = 0; group < states.length; group++) {
        SuperState state = states[group];
        if (state != null && !isShared(group)) {
          state.destroy();
        }
      }
      memory.take(-bytes - 8L * states.length);
      states = new SuperState[0];
      shared = null;
      bytes = 0;
      charged = 0;
    }
  }

  public int count() {
    return functions.length;
  }

  void add(Vector[] arguments, int[] selection, int n, int[] groups) {
    for (OfFunction of : functions) {
      if (of.function.takesStates()) {
        merge(of, of.function.vectors(arguments)[0], selection, n, groups);
        continue;
      }
      of.pads().add(of.function.vectors(arguments), selection, n, groups);
    }
  }

  /** Merges the states of a column; a NULL is a state without rows. */
  private static void merge(OfFunction of, Vector states, int[] selection, int n, int[] groups) {
    @Nullable String[] texts = states.requireTexts();
    for (int r = 0; r < n; r++) {
      String text = texts[selection[r]];
      if (text != null) {
        of.merge(groups[r], ExportedState.ofText(text).state());
      }
    }
  }

  /** Makes room if needed: no state needs more room than its memory. */
  private static void output(SuperState state, StateSink sink, MemoryDraw memory) {
    long room = sink.array().length;
    long wanted = memory.isLimited() ? state.memoryBytes() : 0;
    if (wanted > room) {
      sink.clear();
      memory.take(wanted);
      sink.reserve(wanted);
      memory.take(-room);
      room = wanted;
    }
    state.output(sink);
    memory.take(sink.array().length - room);
  }

  public void merge(int group, GroupStates other, int from) {
    other.settle();
    for (int f = 0; f < functions.length; f++) {
      SuperState state = other.functions[f].known(from);
      if (state != null) {
        sink.clear();
        output(state, sink, memory);
        functions[f].merge(group, sink.reader("a state"));
      }
    }
    if (sink.array().length > LARGE) {
      memory.take(-sink.array().length);
      sink = new StateSink();
      memory.take(sink.array().length);
    }
  }

  /** Merges bytes into the state of a group; none change nothing. */
  public void merge(int function, int group, StateReader state) {
    functions[function].merge(group, state);
  }

  /** Shares states of a table that must not change them while this one reads; merges copy first. */
  void share(int group, GroupStates other, int from) {
    other.settle();
    for (int f = 0; f < functions.length; f++) {
      SuperState state = other.functions[f].known(from);
      if (state != null) {
        functions[f].share(group, state);
      }
    }
  }

  /** Moves the states of another table's group to a group without states. */
  void take(int group, GroupStates other, int from) {
    other.settle();
    for (int f = 0; f < functions.length; f++) {
      boolean isShared = other.functions[f].isShared(from);
      SuperState state = other.functions[f].take(from);
      if (state != null && isShared) {
        functions[f].share(group, state);
      } else if (state != null) {
        functions[f].put(group, state);
      }
    }
  }

  void drop(int group) {
    for (OfFunction of : functions) {
      boolean isShared = of.isShared(group);
      SuperState state = of.take(group);
      if (state != null && !isShared) {
        state.destroy();
      }
    }
  }

  long chargedBytes() {
    long charged = 0;
    for (OfFunction of : functions) {
      charged += of.charged;
    }
    return charged;
  }

  /** The bytes that a budget charges for the states of a group. */
  public long chargedBytes(int group) {
    long charged = 0;
    for (OfFunction of : functions) {
      SuperState state = of.known(group);
      charged += state == null ? 0 : state.chargedBytes();
    }
    return charged;
  }

  /** Read-only; a state without rows if the group has none. */
  public SuperState state(int function, int group) {
    OfFunction of = functions[function];
    of.settle();
    SuperState state = of.known(group);
    return state == null ? of.high.initialize() : state;
  }

  /** Appends the state of a group; nothing if it has none. */
  public void output(int function, int group, StateSink to) {
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

  public long bytes() {
    long bytes = 0;
    for (OfFunction of : functions) {
      bytes += of.bytes;
    }
    return bytes;
  }

  long heapBytes() {
    long bytes = bytes();
    for (OfFunction of : functions) {
      bytes += 8L * of.states.length + (of.pads == null ? 0 : of.pads.heapBytes());
    }
    return bytes;
  }
}
