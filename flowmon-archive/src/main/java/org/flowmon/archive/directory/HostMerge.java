package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;

/** Merges streams of addresses into a run, with a heap of streams. */
final class HostMerge {
  /** A stream, and its segments' numbers in the new run. */
  static final class Input {
    private final HostStream stream;
    private final int[] numbers;

    /**
     * Adds a stream to a merge.
     *
     * @param numbers the new number of each of the stream's segments, −1 to leave it out
     */
    Input(HostStream stream, int[] numbers) {
      this.stream = stream;
      this.numbers = numbers;
    }

    HostStream stream() {
      return stream;
    }
  }

  private final List<Input> heap = new ArrayList<>();
  private int[] places = new int[16];
  private int n;

  private HostMerge() {}

  static void merge(List<Input> inputs, HostSink out) throws IOException {
    new HostMerge().run(inputs, out);
  }

  private void run(List<Input> inputs, HostSink out) throws IOException {
    for (Input input : inputs) {
      if (input.stream.next()) {
        heap.add(input);
      }
    }
    for (int i = heap.size() / 2 - 1; i >= 0; i--) {
      sink(i);
    }
    while (!heap.isEmpty()) {
      long high = heap.get(0).stream.high();
      long low = heap.get(0).stream.low();
      n = 0;
      while (!heap.isEmpty()
          && heap.get(0).stream.high() == high
          && heap.get(0).stream.low() == low) {
        take(heap.get(0));
        advance();
      }
      int distinct = distinct();
      if (distinct > 0) {
        out.add(high, low, places, distinct);
      }
    }
  }

  private void take(Input input) {
    HostStream stream = input.stream;
    int count = stream.count();
    if (n + count > places.length) {
      places = Arrays.copyOf(places, 2 * (n + count));
    }
    for (int i = 0; i < count; i++) {
      int place = stream.place(i);
      int number = input.numbers[place >>> 2];
      if (number >= 0) {
        places[n++] = number << 2 | (place & HostRunFormat.ROLES);
      }
    }
  }

  /** Sorts the places and joins the roles of each segment; returns the remaining number. */
  private int distinct() {
    Arrays.sort(places, 0, n);
    int kept = 0;
    for (int i = 0; i < n; i++) {
      if (kept > 0 && places[kept - 1] >>> 2 == places[i] >>> 2) {
        places[kept - 1] |= places[i];
      } else {
        places[kept++] = places[i];
      }
    }
    return kept;
  }

  private void advance() {
    if (!heap.get(0).stream.next()) {
      Input last = heap.remove(heap.size() - 1);
      if (heap.isEmpty()) {
        return;
      }
      heap.set(0, last);
    }
    sink(0);
  }

  private void sink(int start) {
    Input moved = heap.get(start);
    int at = start;
    while (2 * at + 1 < heap.size()) {
      int child = 2 * at + 1;
      if (child + 1 < heap.size() && compare(heap.get(child + 1), heap.get(child)) < 0) {
        child++;
      }
      if (compare(moved, heap.get(child)) <= 0) {
        break;
      }
      heap.set(at, heap.get(child));
      at = child;
    }
    heap.set(at, moved);
  }

  private static int compare(Input a, Input b) {
    return IpAddress.compare(a.stream.high(), a.stream.low(), b.stream.high(), b.stream.low());
  }
}
