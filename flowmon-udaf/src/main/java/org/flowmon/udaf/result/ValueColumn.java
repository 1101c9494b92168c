package org.flowmon.udaf.result;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.memory.TextBytes;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.TextOrder;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A growing column of values of one kind. All NULL, it has no arrays, and NULL marks are kept from
 * the first NULL on: most columns of most flows are unknown.
 */
final class ValueColumn {
  // Rows between two cancellation checks.
  private static final int CHECKED = 1 << 18;

  private final @Nullable ValueKind kind; // null: every row is NULL
  private int rows;
  private int expected;
  private long[] values = {}; // empty while every row is NULL; of texts always
  private long[] high = {}; // of addresses, and of whole numbers after one exceeds 64 bits
  private @Nullable String[] texts = {};
  private boolean[] isNull = {}; // empty while no row, or every row, is NULL
  private long textBytes; // of its texts; consecutive rows with the same object count once

  ValueColumn(@Nullable ValueKind kind) {
    this.kind = kind;
  }

  /** Announces the approximate number of rows: the first rows make room for all. */
  void expect(int count) {
    expected = count;
  }

  private boolean isEmpty() {
    return values.length == 0 && texts.length == 0;
  }

  long heapBytes() {
    return isNull.length + Long.BYTES * ((long) capacity() + high.length) + textBytes;
  }

  /** Whether appending so many rows copies its arrays into longer ones. */
  boolean isFullWith(int n) {
    return !isEmpty() && rows + n > capacity();
  }

  /** The most bytes after appending a vector's values at {@code selection − shift}. */
  long heapBytesWith(Vector vector, int[] selection, int shift, int n) {
    boolean allValid = vector.allValid();
    if (!allValid && isEmpty() && noneValid(vector, selection, shift, n)) {
      return heapBytes();
    }
    long capacity = capacityFor(rows + n);
    boolean isHigh = kind == ValueKind.ADDRESS || high.length > 0 || vector.isWide();
    boolean marks = isNull.length > 0 || !allValid || (rows > 0 && isEmpty());
    long more = kind == ValueKind.TEXT ? textBytes(vector, selection, shift, n) : 0;
    return capacity * (Long.BYTES + (isHigh ? Long.BYTES : 0) + (marks ? 1 : 0)) + textBytes + more;
  }

  // One instance in many rows is one text on the heap.
  @SuppressWarnings("ReferenceEquality")
  private static long textBytes(Vector vector, int[] selection, int shift, int n) {
    @Nullable String[] of = vector.requireTexts();
    String last = null;
    long bytes = 0;
    for (int i = 0; i < n; i++) {
      String text = vector.isValid(selection[i] - shift) ? of[selection[i] - shift] : null;
      bytes += text == null || text == last ? 0 : TextBytes.OBJECT_BYTES + TextBytes.of(text);
      last = text;
    }
    return bytes;
  }

  private int capacity() {
    return Math.max(texts.length, values.length);
  }

  /** Appends a vector's values at the places {@code selection − shift}. */
  void append(Vector vector, int[] selection, int shift, int n) {
    boolean allValid = vector.allValid();
    if (!allValid && isEmpty() && noneValid(vector, selection, shift, n)) {
      rows += n;
      return;
    }
    textBytes += kind == ValueKind.TEXT ? textBytes(vector, selection, shift, n) : 0;
    reserve(rows + n);
    if (vector.isWide() && high.length == 0) {
      high = new long[capacity()];
      Arrays.setAll(high, row -> row < rows ? values[row] >> 63 : 0);
    }
    if (n > 0 && selection[n - 1] - selection[0] == n - 1) {
      copyRun(vector, selection[0] - shift, n);
    } else {
      for (int i = 0; i < n; i++) {
        copy(rows + i, vector, selection[i] - shift);
      }
    }
    if (!allValid) {
      markNulls(vector, selection, shift, n);
    }
    rows += n;
  }

  private static boolean noneValid(Vector vector, int[] selection, int shift, int n) {
    for (int i = 0; i < n; i++) {
      if (vector.isValid(selection[i] - shift)) {
        return false;
      }
    }
    return true;
  }

  private void copy(int row, Vector vector, int i) {
    if (kind == ValueKind.TEXT) {
      texts[row] = vector.requireTexts()[i];
      return;
    }
    values[row] = vector.values()[i];
    if (high.length > 0) {
      high[row] = kind == ValueKind.ADDRESS ? vector.requireHigh()[i] : vector.upper(i);
    }
  }

  private void copyRun(Vector vector, int from, int n) {
    if (kind == ValueKind.TEXT) {
      System.arraycopy(vector.requireTexts(), from, texts, rows, n);
      return;
    }
    System.arraycopy(vector.values(), from, values, rows, n);
    if (kind == ValueKind.ADDRESS) {
      System.arraycopy(vector.requireHigh(), from, high, rows, n);
    } else if (high.length > 0) {
      for (int i = 0; i < n; i++) {
        high[rows + i] = vector.upper(from + i);
      }
    }
  }

  void appendNulls(int n) {
    if (!isEmpty()) {
      reserve(rows + n);
      isNull = isNull.length == 0 ? new boolean[capacity()] : isNull;
      Arrays.fill(isNull, rows, rows + n, true);
    }
    rows += n;
  }

  private void markNulls(Vector vector, int[] selection, int shift, int n) {
    for (int i = 0; i < n; i++) {
      if (!vector.isValid(selection[i] - shift)) {
        if (isNull.length == 0) {
          isNull = new boolean[capacity()];
        }
        isNull[rows + i] = true;
      }
    }
  }

  private int capacityFor(int wanted) {
    if (wanted <= capacity()) {
      return capacity();
    }
    long least = isEmpty() ? Math.max(16, expected) : 2L * rows;
    return (int) Math.max(wanted, Math.min(ResultTable.MAX_ROWS, least));
  }

  private void reserve(int wanted) {
    if (wanted <= capacity()) {
      return;
    }
    int capacity = capacityFor(wanted);
    if (isEmpty() && rows > 0) {
      isNull = new boolean[capacity];
      Arrays.fill(isNull, 0, rows, true);
    } else if (isNull.length > 0) {
      isNull = Arrays.copyOf(isNull, capacity);
    }
    if (kind == ValueKind.TEXT) {
      texts = Arrays.copyOf(texts, capacity);
      return;
    }
    values = Arrays.copyOf(values, capacity);
    if (kind == ValueKind.ADDRESS || high.length > 0) {
      high = Arrays.copyOf(high, capacity);
    }
  }

  /** Appends columns of the same kind, none beyond 64 bits, to have {@code total} rows. */
  void appendAll(List<ValueColumn> others, int total) {
    int capacity = total;
    if (!isEmpty() || !others.stream().allMatch(ValueColumn::isEmpty)) {
      reserveExactly(capacity);
      for (ValueColumn other : others) {
        copyAll(other);
      }
    }
    rows = total;
  }

  private void reserveExactly(int capacity) {
    expected = capacity;
    int before = rows;
    if (isEmpty()) {
      reserve(capacity);
      return;
    }
    isNull = isNull.length == 0 ? isNull : Arrays.copyOf(isNull, capacity);
    values = values.length == 0 ? values : Arrays.copyOf(values, capacity);
    high = high.length == 0 ? high : Arrays.copyOf(high, capacity);
    texts = texts.length == 0 ? texts : Arrays.copyOf(texts, capacity);
    rows = before;
  }

  private void copyAll(ValueColumn other) {
    textBytes += other.textBytes;
    if (other.isEmpty() || other.isNull.length > 0) {
      isNull = isNull.length == 0 ? new boolean[capacity()] : isNull;
    }
    if (other.isEmpty()) {
      Arrays.fill(isNull, rows, rows + other.rows, true);
    } else {
      if (other.isNull.length > 0) {
        System.arraycopy(other.isNull, 0, isNull, rows, other.rows);
      }
      if (kind == ValueKind.TEXT) {
        System.arraycopy(other.texts, 0, texts, rows, other.rows);
      } else {
        System.arraycopy(other.values, 0, values, rows, other.rows);
      }
      if (high.length > 0) {
        System.arraycopy(other.high, 0, high, rows, other.rows);
      }
    }
    rows += other.rows;
  }

  boolean isNull(int row) {
    return isEmpty() || (isNull.length > 0 && isNull[row]);
  }

  /** The values if all are numbers in the order of longs and none is NULL, else empty. */
  long[] sortKeys() {
    boolean isLong = kind != null && kind.isInteger();
    return isLong && high.length == 0 && isNull.length == 0 ? values : new long[0];
  }

  /** Compares two values that are not NULL. */
  int compare(int a, int b) {
    return switch (Objects.requireNonNull(kind)) {
      case ADDRESS -> IpAddress.compare(high[a], values[a], high[b], values[b]);
      case TEXT -> TextOrder.compare(texts[a], texts[b]);
      case DOUBLE -> compareDoubles(values[a], values[b]);
      default ->
          high.length == 0
              ? Long.compare(values[a], values[b])
              : Int128.compare(high[a], values[a], high[b], values[b]);
    };
  }

  /** Compares doubles; zeros are equal whatever their sign. */
  private static int compareDoubles(long bitsA, long bitsB) {
    double a = Double.longBitsToDouble(bitsA);
    double b = Double.longBitsToDouble(bitsB);
    return a == b ? 0 : Double.compare(a, b);
  }

  /** Keeps these rows, in this order; {@code check} may throw to end the work. */
  @SuppressWarnings("ReferenceEquality") // as above
  void keep(int[] kept, Runnable check) {
    values = gathered(values, kept, check);
    high = gathered(high, kept, check);
    texts = gathered(texts, kept, check);
    isNull = gathered(isNull, kept, check);
    rows = kept.length;
    textBytes = 0;
    for (int row = 0; row < texts.length; row++) {
      String text = texts[row];
      boolean isOwn = text != null && (row == 0 || text != texts[row - 1]);
      textBytes += isOwn ? TextBytes.OBJECT_BYTES + TextBytes.of(text) : 0;
    }
  }

  /** Puts all rows into this order in place, by cycles; {@code check} may throw to end the work. */
  void reorder(int[] order, Runnable check) {
    for (int from = 0; from < rows && !isEmpty(); ) {
      int to = from;
      for (int last = order[from]; to < last; last = Math.max(last, order[to])) {
        to++;
      }
      if (to > from) {
        check.run();
        int[] run = Arrays.copyOfRange(order, from, to + 1);
        putBack(values, gathered(values, run, check), from);
        putBack(high, gathered(high, run, check), from);
        putBack(texts, gathered(texts, run, check), from);
        putBack(isNull, gathered(isNull, run, check), from);
      }
      from = to + 1;
    }
  }

  private static void putBack(Object into, Object run, int from) {
    if (Array.getLength(run) > 0) {
      System.arraycopy(run, 0, into, from, Array.getLength(run));
    }
  }

  private static long[] gathered(long[] from, int[] rows, Runnable check) {
    if (from.length == 0) {
      return from;
    }
    long[] to = new long[rows.length];
    for (int block = 0; block < rows.length; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, rows.length); i++) {
        to[i] = from[rows[i]];
      }
    }
    return to;
  }

  private static @Nullable String[] gathered(@Nullable String[] from, int[] rows, Runnable check) {
    if (from.length == 0) {
      return from;
    }
    String[] to = new String[rows.length];
    for (int block = 0; block < rows.length; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, rows.length); i++) {
        to[i] = from[rows[i]];
      }
    }
    return to;
  }

  private static boolean[] gathered(boolean[] from, int[] rows, Runnable check) {
    if (from.length == 0) {
      return from;
    }
    boolean[] to = new boolean[rows.length];
    for (int block = 0; block < rows.length; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, rows.length); i++) {
        to[i] = from[rows[i]];
      }
    }
    return to;
  }

  /** Moves all values, with their arrays, to a column of a result. */
  void fill(ResultTable.Builder builder, int column) {
    builder.fill(column, values, high, texts, isNull);
  }
}
