package org.flowmon.archive.directory;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.sorted.AddressMerge;
import org.flowmon.archive.sorted.AddressStream;

/** Merges streams of addresses into a run. */
final class HostMerge {
  /** A stream, and its segments' numbers in the new run. */
  static final class Input implements AddressStream {
    private final HostStream stream;
    private final int[] numbers;

    /** {@code numbers} has the new number of each of the stream's segments, −1 to leave it out. */
    Input(HostStream stream, int[] numbers) {
      this.stream = stream;
      this.numbers = numbers;
    }

    @Override
    public boolean next() {
      return stream.next();
    }

    @Override
    public long high() {
      return stream.high();
    }

    @Override
    public long low() {
      return stream.low();
    }
  }

  private int[] places = new int[16];
  private int n;

  private HostMerge() {}

  static void merge(List<Input> inputs, HostSink out) throws IOException {
    new HostMerge().run(new AddressMerge<>(inputs), out);
  }

  private void run(AddressMerge<Input> inputs, HostSink out) throws IOException {
    while (!inputs.isEmpty()) {
      long high = inputs.first().high();
      long low = inputs.first().low();
      n = 0;
      for (; inputs.isAt(high, low); inputs.advance()) {
        take(inputs.first());
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
}
