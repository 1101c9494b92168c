package org.flowmon.udaf.aggregate;

import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.Accumulator.Operation;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** Adds rows to groups' states, by accumulator: every loop is one operation over primitives. */
public final class Accumulation {
  private final Accumulator[] accumulators;
  private final boolean[] ofDoubles;

  public Accumulation(GroupLayout layout) {
    List<Accumulator> all = layout.accumulators();
    this.accumulators = all.toArray(new Accumulator[0]);
    this.ofDoubles = new boolean[accumulators.length];
    for (int a = 0; a < accumulators.length; a++) {
      int argument = accumulators[a].argument();
      ofDoubles[a] = argument >= 0 && layout.arguments().get(argument).kind() == ValueKind.DOUBLE;
    }
  }

  /**
   * Adds selected rows {@code from} … {@code to} − 1 of vectors, one per argument of the layout, to
   * states of their groups, which start at {@code places} of {@code states}, by selected row.
   */
  public void add(
      Vector[] arguments, int[] selection, int from, int to, long[] states, int[] places) {
    for (int a = 0; a < accumulators.length; a++) {
      Accumulator accumulator = accumulators[a];
      if (accumulator.operation() == Operation.COUNT_ROWS) {
        countRows(from, to, states, places, accumulator.word());
      } else if (accumulator.operation() == Operation.COUNT_DISTINCT) {
        throw new IllegalStateException("COUNT(DISTINCT …) is counted from groups, not from rows");
      } else {
        Vector vector = arguments[accumulator.argument()];
        add(accumulator, vector, ofDoubles[a], selection, from, to, states, places);
      }
    }
  }

  private static void add(
      Accumulator accumulator,
      Vector vector,
      boolean ofDoubles,
      int[] selection,
      int from,
      int to,
      long[] states,
      int[] places) {
    int word = accumulator.word();
    switch (accumulator.operation()) {
      case COUNT_VALUES -> {
        if (vector.allValid()) {
          countRows(from, to, states, places, word);
        } else {
          countValues(vector.validity(), selection, from, to, states, places, word);
        }
      }
      case SUM_OF_SQUARES -> squares(vector.values(), selection, from, to, states, places, word);
      case SUM -> {
        if (vector.isWide()) {
          sumWide(vector, selection, from, to, states, places, word);
        } else {
          sum(vector.values(), selection, from, to, states, places, word);
        }
      }
      case MIN -> extreme(vector, ofDoubles, true, selection, from, to, states, places, word);
      case MAX -> extreme(vector, ofDoubles, false, selection, from, to, states, places, word);
      case MIN_ADDRESS -> address(vector, true, selection, from, to, states, places, word);
      case MAX_ADDRESS -> address(vector, false, selection, from, to, states, places, word);
      case COUNT_ROWS, COUNT_DISTINCT ->
          throw new IllegalArgumentException(accumulator + " has no argument");
    }
  }

  /** Merges states in columns, by word, into those at {@code places} of {@code states}. */
  public void merge(long[][] columns, int count, long[] states, int[] places) {
    for (Accumulator accumulator : accumulators) {
      int word = accumulator.word();
      long[] first = columns[word];
      switch (accumulator.operation()) {
        case COUNT_ROWS, COUNT_VALUES, COUNT_DISTINCT -> {
          for (int i = 0; i < count; i++) {
            states[places[i] + word] += first[i];
          }
        }
        case SUM -> {
          long[] wraps = columns[word + 1];
          for (int i = 0; i < count; i++) {
            Accumulator.addTo(states, places[i] + word, first[i]);
            states[places[i] + word + 1] += wraps[i];
          }
        }
        case SUM_OF_SQUARES -> {
          for (int i = 0; i < count; i++) {
            Accumulator.addUnsigned(
                states, places[i] + word, first[i], columns[word + 1][i], columns[word + 2][i]);
          }
        }
        case MIN -> {
          for (int i = 0; i < count; i++) {
            states[places[i] + word] = Math.min(states[places[i] + word], first[i]);
          }
        }
        case MAX -> {
          for (int i = 0; i < count; i++) {
            states[places[i] + word] = Math.max(states[places[i] + word], first[i]);
          }
        }
        case MIN_ADDRESS, MAX_ADDRESS -> {
          long[] pair = new long[word + 2];
          for (int i = 0; i < count; i++) {
            pair[word] = first[i];
            pair[word + 1] = columns[word + 1][i];
            accumulator.merge(states, places[i], pair, 0);
          }
        }
      }
    }
  }

  /** Merges n states, the first at {@code first}, each {@code stride} words after the last. */
  public void total(long[] states, int first, int stride, int n, long[] total) {
    for (Accumulator accumulator : accumulators) {
      int word = accumulator.word();
      int from = first + word;
      switch (accumulator.operation()) {
        case COUNT_ROWS, COUNT_VALUES, COUNT_DISTINCT -> {
          long sum = 0;
          for (int g = 0, at = from; g < n; g++, at += stride) {
            sum += states[at];
          }
          total[word] += sum;
        }
        case SUM -> {
          long[] sum = new long[2];
          for (int g = 0, at = from; g < n; g++, at += stride) {
            Accumulator.addTo(sum, 0, states[at]);
            sum[1] += states[at + 1];
          }
          Accumulator.addTo(total, word, sum[0]);
          total[word + 1] += sum[1];
        }
        default -> {
          for (int g = 0, at = first; g < n; g++, at += stride) {
            accumulator.merge(total, 0, states, at);
          }
        }
      }
    }
  }

  private static void countRows(int from, int to, long[] states, int[] places, int word) {
    for (int r = from; r < to; r++) {
      states[places[r] + word]++;
    }
  }

  private static void countValues(
      long[] validity, int[] selection, int from, int to, long[] states, int[] places, int word) {
    for (int r = from; r < to; r++) {
      int i = selection[r];
      states[places[r] + word] += validity[i >>> 6] >>> i & 1;
    }
  }

  /** The value of a NULL is 0: it adds nothing. */
  private static void sum(
      long[] values, int[] selection, int from, int to, long[] states, int[] places, int word) {
    for (int r = from; r < to; r++) {
      Accumulator.addTo(states, places[r] + word, values[selection[r]]);
    }
  }

  /** Sums values beyond 64 bits. */
  private static void sumWide(
      Vector vector, int[] selection, int from, int to, long[] states, int[] places, int word) {
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (vector.isValid(i)) {
        long low = vector.values()[i];
        Accumulator.addTo(states, places[r] + word, low);
        states[places[r] + word + 1] += vector.upper(i) - (low >> 63);
      }
    }
  }

  private static void squares(
      long[] values, int[] selection, int from, int to, long[] states, int[] places, int word) {
    for (int r = from; r < to; r++) {
      Accumulator.addSquare(states, places[r] + word, values[selection[r]]);
    }
  }

  private static void extreme(
      Vector vector,
      boolean ofDoubles,
      boolean smallest,
      int[] selection,
      int from,
      int to,
      long[] states,
      int[] places,
      int word) {
    long[] values = vector.values();
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (vector.isValid(i)) {
        long value = ofDoubles ? sortable(values[i]) : values[i];
        int at = places[r] + word;
        states[at] = smallest ? Math.min(states[at], value) : Math.max(states[at], value);
      }
    }
  }

  private static void address(
      Vector vector,
      boolean smallest,
      int[] selection,
      int from,
      int to,
      long[] states,
      int[] places,
      int word) {
    long[] high = vector.requireHigh();
    long[] low = vector.values();
    for (int r = from; r < to; r++) {
      int i = selection[r];
      int at = places[r] + word;
      if (vector.isValid(i)) {
        int order = IpAddress.compare(high[i], low[i], states[at], states[at + 1]);
        if (smallest ? order < 0 : order > 0) {
          states[at] = high[i];
          states[at + 1] = low[i];
        }
      }
    }
  }

  /** Maps the bits of a double to a long in the same order; its own inverse. */
  public static long sortable(long doubleBits) {
    return doubleBits ^ ((doubleBits >> 63) & Long.MAX_VALUE);
  }
}
