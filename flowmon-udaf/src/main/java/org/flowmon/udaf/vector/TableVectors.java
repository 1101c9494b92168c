package org.flowmon.udaf.vector;

import java.util.Arrays;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Columns of a result table as vectors, so that expressions are evaluated over them. */
public final class TableVectors {
  private static final int WORDS = Vector.CAPACITY / 64;

  private static final long[] NO_LONGS = {};
  private static final @Nullable String[] NO_TEXTS = {};

  private TableVectors() {}

  /** A column's place; an {@link IllegalArgumentException} if it is missing or of another kind. */
  public static int place(ResultTable table, String name, @Nullable ValueKind kind, String reader) {
    int place = table.column(name);
    if (place < 0 || table.kind(place) != kind) {
      throw new IllegalArgumentException(
          reader
              + " reads the column "
              + name
              + " of "
              + kind
              + ", found "
              + (place < 0 ? table.names().toString() : table.kind(place).toString()));
    }
    return place;
  }

  /** Fills a vector of the column's kind from at most {@link Vector#CAPACITY} rows; −1: NULLs. */
  public static void load(
      ResultTable table, int column, int[] rows, int from, int n, Vector vector) {
    boolean isWide = table.isWide(column);
    Arrays.fill(vector.validity(), 0);
    table.gather(
        column,
        rows,
        from,
        n,
        vector.values(),
        vector.kind() == ValueKind.ADDRESS ? vector.requireHigh() : NO_LONGS,
        vector.kind() == ValueKind.TEXT ? vector.requireTexts() : NO_TEXTS,
        vector.validity());
    vector.settleValidity(n);
    if (isWide) {
      // The NULL rows are already known.
      table.gather(
          column, rows, from, n, vector.values(), vector.widen(), NO_TEXTS, new long[WORDS]);
    }
  }

  /** Fills a vector of the column's kind from at most {@link Vector#CAPACITY} successive rows. */
  public static void load(ResultTable table, int column, int from, int n, Vector vector) {
    if (vector.kind() == ValueKind.ADDRESS) {
      table.readAddresses(column, from, n, vector.requireHigh(), vector.values());
    } else if (vector.kind() == ValueKind.TEXT) {
      @Nullable String[] texts = vector.requireTexts();
      for (int i = 0; i < n; i++) {
        texts[i] = table.text(from + i, column);
      }
    } else {
      table.longs(column).get(from, vector.values(), 0, n);
    }
    Arrays.fill(vector.validity(), 0);
    for (int i = 0; i < n; i++) {
      vector.validity()[i >>> 6] |= (table.isNull(from + i, column) ? 0L : 1L) << i;
    }
    vector.settleValidity(n);
    if (table.isWide(column)) {
      table.readHighs(column, from, n, vector.widen());
    }
  }
}
