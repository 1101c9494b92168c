package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * A fixed number of scratchpads that groups take in turn: a taken pad's rows are sent on first. So
 * memory beside the states is bounded for any number of groups. Not thread-safe.
 */
final class ScratchPads {
  /** Takes the contents of a pad. */
  @FunctionalInterface
  interface Output {
    void state(int group, StateReader state);
  }

  private static final int MAX_WORDS = 1 << 17;
  private static final int MAX_PADS = 2048;

  private final SubAggregate low;
  private final Output output;
  private final int words;
  private final int mask;
  private final long[] pads;
  // By pad: its group, −1 if it is free.
  private final int[] owners;
  // By pad: the stretch of its latest rows, which may not be added yet.
  private final int[] touched;
  private final int[] places = new int[Vector.CAPACITY];
  private final StateSink sink = new StateSink();
  private int stretch;
  private int used;

  ScratchPads(SubAggregate low, Output output) {
    this.low = low;
    this.output = output;
    this.words = low.words();
    int count = count(low);
    this.mask = count - 1;
    this.pads = new long[count * words];
    this.owners = new int[count];
    this.touched = new int[count];
    Arrays.fill(owners, -1);
  }

  private static int count(SubAggregate low) {
    return Math.min(MAX_PADS, Math.max(1, Integer.highestOneBit(MAX_WORDS / low.words())));
  }

  static long heapBytes(SubAggregate low) {
    return 8L * count(low) * (low.words() + 1L);
  }

  void add(Vector[] arguments, int[] selection, int n, int[] groups) {
    stretch++;
    int added = 0;
    for (int r = 0; r < n; r++) {
      int pad = groups[r] & mask;
      if (owners[pad] != groups[r]) {
        if (owners[pad] >= 0) {
          if (touched[pad] == stretch) {
            iterate(arguments, selection, added, r);
            added = r;
            stretch++;
          }
          send(pad);
        } else {
          used++;
        }
        low.initialize(pads, pad * words);
        owners[pad] = groups[r];
      }
      touched[pad] = stretch;
      places[r] = pad * words;
    }
    iterate(arguments, selection, added, n);
  }

  private void iterate(Vector[] arguments, int[] selection, int from, int to) {
    int at = from;
    while (at < to) {
      at = low.iterate(arguments, selection, at, to, pads, places, 0);
      if (at < to) {
        int pad = places[at] / words;
        send(pad);
        low.initialize(pads, places[at]);
      }
    }
  }

  private void send(int pad) {
    sink.clear();
    low.output(pads, pad * words, sink);
    low.destroy(pads, pad * words);
    if (sink.size() > 0) {
      output.state(owners[pad], sink.reader("a sub-state"));
    }
  }

  void empty() {
    if (used == 0) {
      return;
    }
    for (int pad = 0; pad < owners.length; pad++) {
      if (owners[pad] >= 0) {
        send(pad);
        owners[pad] = -1;
      }
    }
    used = 0;
  }

  void forget() {
    for (int pad = 0; pad < owners.length; pad++) {
      if (owners[pad] >= 0) {
        low.destroy(pads, pad * words);
        owners[pad] = -1;
      }
    }
    used = 0;
  }

  long heapBytes() {
    return heapBytes(low);
  }
}
