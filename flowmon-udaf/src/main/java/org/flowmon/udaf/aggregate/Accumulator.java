package org.flowmon.udaf.aggregate;

import org.flowmon.flow.IpAddress;

/**
 * A running value of a group, from word {@code word} of its state; SUM(x) and AVG(x) share sum and
 * count. The argument is a place in {@link GroupLayout#arguments}, −1 if it has none.
 */
public record Accumulator(Operation operation, int argument, int word) {

  /** All are commutative and associative: the order of merging does not matter. */
  public enum Operation {
    /** Rows of the group: one word. */
    COUNT_ROWS(1, 1),
    /** Rows whose argument is not NULL: one word. */
    COUNT_VALUES(2, 1),
    /** Exact sum: two words, low and wraps. It is wraps · 2^64 + low, low taken as signed. */
    SUM(3, 2),
    /** Smallest signed long; 2^63 − 1 if there is none. */
    MIN(4, 1),
    /** Largest signed long; −2^63 if there is none. */
    MAX(5, 1),
    /** Smallest address: high and low word, all bits set if there is none. */
    MIN_ADDRESS(6, 2),
    /** Largest address: high and low word, 0 if there is none. */
    MAX_ADDRESS(7, 2),
    /** Exact sum of squares: three words, unsigned, the low one first. */
    SUM_OF_SQUARES(8, 3),
    /** Different arguments: one word. It counts groups of keys and arguments, not rows. */
    COUNT_DISTINCT(9, 1);

    private final int code;
    private final int words;

    Operation(int code, int words) {
      this.code = code;
      this.words = words;
    }

    /** The stable code, part of a layout's fingerprint. */
    public int code() {
      return code;
    }

    /** Longs of its state. */
    public int words() {
      return words;
    }

    public boolean isAddress() {
      return this == MIN_ADDRESS || this == MAX_ADDRESS;
    }
  }

  /** Writes the state before any row. */
  void reset(long[] state, int at) {
    switch (operation) {
      case COUNT_ROWS, COUNT_VALUES, COUNT_DISTINCT -> state[at + word] = 0;
      case MIN -> state[at + word] = Long.MAX_VALUE;
      case MAX -> state[at + word] = Long.MIN_VALUE;
      case SUM, MAX_ADDRESS -> {
        state[at + word] = 0;
        state[at + word + 1] = 0;
      }
      case MIN_ADDRESS -> {
        state[at + word] = -1;
        state[at + word + 1] = -1;
      }
      case SUM_OF_SQUARES -> {
        state[at + word] = 0;
        state[at + word + 1] = 0;
        state[at + word + 2] = 0;
      }
    }
  }

  public void merge(long[] target, int into, long[] source, int from) {
    int t = into + word;
    int s = from + word;
    switch (operation) {
      case COUNT_ROWS, COUNT_VALUES, COUNT_DISTINCT -> target[t] += source[s];
      case MIN -> target[t] = Math.min(target[t], source[s]);
      case MAX -> target[t] = Math.max(target[t], source[s]);
      case SUM -> {
        addTo(target, t, source[s]);
        target[t + 1] += source[s + 1];
      }
      case SUM_OF_SQUARES -> addUnsigned(target, t, source[s], source[s + 1], source[s + 2]);
      case MIN_ADDRESS -> {
        if (IpAddress.compare(source[s], source[s + 1], target[t], target[t + 1]) < 0) {
          target[t] = source[s];
          target[t + 1] = source[s + 1];
        }
      }
      case MAX_ADDRESS -> {
        if (IpAddress.compare(source[s], source[s + 1], target[t], target[t + 1]) > 0) {
          target[t] = source[s];
          target[t + 1] = source[s + 1];
        }
      }
    }
  }

  /** Adds a square to the sum of squares whose low word is at {@code at}. */
  static void addSquare(long[] state, int at, long value) {
    addUnsigned(state, at, value * value, Math.multiplyHigh(value, value), 0);
  }

  /** Adds an unsigned number of three words to the number at {@code at}, the low word first. */
  static void addUnsigned(long[] state, int at, long low, long middle, long high) {
    long sum = state[at] + low;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    state[at] = sum;
    long next = state[at + 1] + middle;
    long more = Long.compareUnsigned(next, middle) < 0 ? 1 : 0;
    next += carry;
    more += carry != 0 && next == 0 ? 1 : 0;
    state[at + 1] = next;
    state[at + 2] += high + more;
  }

  /** Adds to the sum whose low word is at {@code at}; touches the wraps only if that overflows. */
  static void addTo(long[] state, int at, long value) {
    long low = state[at];
    long sum = low + value;
    state[at] = sum;
    if (((low ^ sum) & (value ^ sum)) < 0) {
      state[at + 1] += value < 0 ? -1 : 1;
    }
  }
}
