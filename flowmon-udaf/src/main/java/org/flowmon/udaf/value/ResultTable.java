package org.flowmon.udaf.value;

import java.math.BigInteger;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.jspecify.annotations.Nullable;

/**
 * A query's answer as named, typed columns. Whole numbers are exact to 128 bits: a SUM may exceed a
 * long ({@link #longValue} throws, {@link #bigValue} does not). Immutable.
 */
public final class ResultTable {
  public static final int MAX_ROWS = Integer.MAX_VALUE - 8;

  private final List<ResultColumn> columns;
  private final List<String> names;
  private final int rows;

  private ResultTable(List<ResultColumn> columns, int rows) {
    this.columns = columns;
    this.names = columns.stream().map(ResultColumn::name).toList();
    this.rows = rows;
  }

  public int rowCount() {
    return rows;
  }

  /** Throws {@link AnswerTooLargeException} if no answer can hold them. */
  public static int rows(long wanted) {
    if (wanted > MAX_ROWS) {
      throw new AnswerTooLargeException(wanted, "rows", MAX_ROWS);
    }
    return (int) wanted;
  }

  public int columnCount() {
    return names.size();
  }

  public List<String> names() {
    return names;
  }

  public String name(int column) {
    return names.get(column);
  }

  public long heapBytes() {
    return columns.stream().mapToLong(ResultColumn::heapBytes).sum();
  }

  public ValueKind kind(int column) {
    return columns.get(column).kind();
  }

  /** −1 if there is none. */
  public int column(String name) {
    return names.indexOf(name);
  }

  public boolean isNull(int row, int column) {
    return columns.get(column).isNull(Objects.checkIndex(row, rows));
  }

  /** The low long of a value that is no text, of doubles the bits; 0 if NULL. */
  public long low(int row, int column) {
    return columns.get(column).low(Objects.checkIndex(row, rows));
  }

  /** The high long of an address, or of a whole number of 128 bits; 0 if NULL. */
  public long high(int row, int column) {
    return columns.get(column).high(row);
  }

  /** 0 if NULL; {@link ArithmeticException} if a whole number does not fit. */
  public long longValue(int row, int column) {
    require(column, kind(column).isInteger(), "a whole number");
    long low = low(row, column);
    if (high(row, column) != low >> 63) {
      throw new ArithmeticException(
          String.format(
              "row %s of column %s is %s, more than a long holds",
              row, name(column), bigValue(row, column)));
    }
    return low;
  }

  /** A whole number, exactly; 0 if NULL. */
  public BigInteger bigValue(int row, int column) {
    require(column, kind(column).isInteger(), "a whole number");
    return Int128.toBigInteger(high(row, column), low(row, column));
  }

  /** Any number as a double; 0 if NULL. */
  public double doubleValue(int row, int column) {
    if (kind(column) == ValueKind.DOUBLE) {
      return Double.longBitsToDouble(low(row, column));
    }
    require(column, kind(column).isInteger(), "a number");
    return Int128.toDouble(high(row, column), low(row, column));
  }

  public @Nullable IpAddress address(int row, int column) {
    require(column, kind(column) == ValueKind.ADDRESS, "an address");
    return isNull(row, column) ? null : new IpAddress(high(row, column), low(row, column));
  }

  /** Into {@code high} and {@code low} from 0 on; {@code ::} if NULL. */
  public void readAddresses(int column, int from, int count, long[] high, long[] low) {
    require(column, kind(column) == ValueKind.ADDRESS, "an address");
    Objects.checkFromIndexSize(from, count, rows);
    columns.get(column).readHighs(from, count, high);
    columns.get(column).readLows(from, count, low);
  }

  public boolean hasNulls(int column) {
    return columns.get(column).hasNulls(rows);
  }

  /**
   * Reads some rows, as {@link #longs}. Arrays that the column's kind does not need are not
   * written.
   *
   * @param wanted the rows' numbers; −1 stands for a row of NULLs
   * @param from the place of the first
   * @param low longs, the low ones of addresses, of NULLs 0
   * @param high of addresses and of whole numbers; empty if not needed
   * @param valid bit {@code i & 63} of word {@code i >>> 6} is set if value i is not NULL
   */
  public void gather(
      int column,
      int[] wanted,
      int from,
      int count,
      long[] low,
      long[] high,
      @Nullable String[] texts,
      long[] valid) {
    ResultColumn values = columns.get(column);
    boolean isText = values.kind() == ValueKind.TEXT;
    for (int i = 0; i < count; i++) {
      int row = wanted[from + i];
      boolean isNull = row < 0 || values.isNull(Objects.checkIndex(row, rows));
      valid[i >>> 6] |= (isNull ? 0L : 1L) << i;
      if (isText) {
        texts[i] = isNull ? null : values.text(row);
        continue;
      }
      low[i] = isNull ? 0 : values.low(row);
      if (high.length > 0) {
        high[i] = isNull ? 0 : values.high(row);
      }
    }
  }

  /**
   * A column without texts, in place and read-only. Doubles are bits, addresses the low longs, sums
   * beyond a long the lowest 64 bits, and NULLs any value.
   */
  public LongBuffer longs(int column) {
    require(column, kind(column) != ValueKind.TEXT, "a column of longs");
    return columns.get(column).longs(rows);
  }

  /**
   * Each row's {@link #low}, or more. The array may be the table's own and must not be changed; it
   * is copied only if some rows are NULL.
   */
  public long[] lows(int column) {
    require(column, kind(column) != ValueKind.TEXT, "a column of longs");
    return columns.get(column).lows(rows);
  }

  /** Each row's {@link #high}, with the conditions of {@link #lows}. */
  public long[] highs(int column) {
    require(column, kind(column) != ValueKind.TEXT, "a column of longs");
    return columns.get(column).highs(rows);
  }

  /** Whether a column of whole numbers may have some beyond a long. */
  public boolean isWide(int column) {
    return kind(column).isInteger() && columns.get(column).hasHighs();
  }

  /**
   * Reads {@link #low} or {@link #high} of successive rows of a column that is no text into {@code
   * out} from 0 on, 0 for NULLs.
   */
  public void read(int column, int from, int count, boolean isLow, long[] out) {
    require(column, kind(column) != ValueKind.TEXT, "a column of longs");
    Objects.checkFromIndexSize(from, count, rows);
    if (isLow) {
      columns.get(column).readLows(from, count, out);
    } else {
      columns.get(column).readHighs(from, count, out);
    }
  }

  /** Reads the upper 64 of the 128 bits of successive whole numbers, 0 for NULLs. */
  public void readHighs(int column, int from, int count, long[] out) {
    require(column, kind(column).isInteger(), "a whole number");
    Objects.checkFromIndexSize(from, count, rows);
    columns.get(column).readHighs(from, count, out);
  }

  /** Null if NULL. */
  public @Nullable String text(int row, int column) {
    require(column, kind(column) == ValueKind.TEXT, "a text");
    return columns.get(column).text(Objects.checkIndex(row, rows));
  }

  /** The text, which is not NULL. */
  public String requireText(int row, int column) {
    return Objects.requireNonNull(text(row, column), "a text that is not NULL");
  }

  /** For a parameter; {@link ArithmeticException} if a whole number does not fit a long. */
  public Value value(int row, int column) {
    if (isNull(row, column)) {
      return Value.NULL;
    }
    ValueKind kind = kind(column);
    return switch (kind) {
      case TEXT -> Value.ofText(requireText(row, column));
      case ADDRESS -> Value.ofAddress(high(row, column), low(row, column));
      case DOUBLE -> Value.of(kind, low(row, column));
      default -> Value.of(kind, longValue(row, column));
    };
  }

  /** Throws {@link IllegalArgumentException} if there is no such column. */
  public ResultTable select(String... wanted) {
    List<ResultColumn> some = new ArrayList<>();
    for (String name : wanted) {
      int place = column(name);
      if (place < 0) {
        throw new IllegalArgumentException("no column " + name + " among " + names);
      }
      some.add(columns.get(place));
    }
    return new ResultTable(some, rows);
  }

  /** With other values of a column of whole numbers, none NULL; they are taken over. */
  public ResultTable with(int column, long[] values) {
    ResultColumn other = new ResultColumn(name(column), kind(column));
    other.fill(rows, values, null, null, null);
    List<ResultColumn> all = new ArrayList<>(columns);
    all.set(column, other);
    return new ResultTable(all, rows);
  }

  /** With the columns of another table of as many rows after its own. */
  public ResultTable beside(ResultTable other) {
    if (other.rows != rows) {
      throw new IllegalArgumentException("expected " + rows + " rows, found " + other.rows);
    }
    List<ResultColumn> all = new ArrayList<>(columns);
    all.addAll(other.columns);
    return new ResultTable(all, rows);
  }

  public ResultTable withRows(int[] wanted) {
    List<ResultColumn> copies = new ArrayList<>();
    for (ResultColumn column : columns) {
      ResultColumn copy = new ResultColumn(column.name(), column.kind());
      for (int row = 0; row < wanted.length; row++) {
        int from = Objects.checkIndex(wanted[row], rows);
        if (column.isNull(from)) {
          continue; // cells of a copy are NULL until they are set
        }
        switch (column.kind()) {
          case TEXT -> copy.set(row, column.text(from));
          case DOUBLE -> copy.set(row, column.low(from));
          default -> copy.set(row, column.high(from), column.low(from));
        }
      }
      copies.add(copy);
    }
    return new ResultTable(copies, wanted.length);
  }

  /** ISO 8601 in UTC for times, seconds for durations, empty for NULL. */
  public String formatted(int row, int column) {
    if (isNull(row, column)) {
      return "";
    }
    return switch (kind(column)) {
      case BOOLEAN -> low(row, column) != 0 ? "true" : "false";
      case LONG -> bigValue(row, column).toString();
      case TIMESTAMP -> FlowTime.text(longValue(row, column));
      case DURATION ->
          new java.math.BigDecimal(bigValue(row, column), 6).stripTrailingZeros().toPlainString()
              + " s";
      case DOUBLE -> Double.toString(Double.longBitsToDouble(low(row, column)));
      case ADDRESS -> IpAddress.format(high(row, column), low(row, column));
      case TEXT -> requireText(row, column);
    };
  }

  private void require(int column, boolean fits, String expected) {
    if (!fits) {
      throw new IllegalArgumentException(
          "column " + name(column) + " is " + kind(column) + ", not " + expected);
    }
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ResultTable that)
        || rows != that.rows
        || columns.size() != that.columns.size()) {
      return false;
    }
    for (int c = 0; c < columns.size(); c++) {
      if (!columns.get(c).isSame(that.columns.get(c), rows)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int hash = rows;
    for (ResultColumn column : columns) {
      hash = 31 * hash + column.hash(rows);
    }
    return hash;
  }

  /** Lines of tab-separated cells, for tests and logs. */
  @Override
  public String toString() {
    StringBuilder lines = new StringBuilder(String.join("\t", names));
    for (int r = 0; r < rows; r++) {
      lines.append('\n');
      for (int c = 0; c < names.size(); c++) {
        lines.append(c == 0 ? "" : "\t").append(isNull(r, c) ? "NULL" : formatted(r, c));
      }
    }
    return lines.toString();
  }

  /** Collects rows, cell by cell. */
  public static final class Builder {
    private List<ResultColumn> columns = new ArrayList<>();
    private int rows;

    /** Adds a column; all are added before the first row. */
    public Builder column(String name, @Nullable ValueKind kind) {
      if (rows > 0) {
        throw new IllegalStateException("columns cannot be added after rows");
      }
      columns.add(new ResultColumn(name, kind));
      return this;
    }

    public Builder reserve(int capacity) {
      columns.forEach(column -> column.reserve(capacity));
      return this;
    }

    /** Begins a row; its cells are NULL until they are set. */
    public Builder row() {
      rows++;
      return this;
    }

    /** NULL unless {@link #fill} sets the columns; no single rows before or after. */
    public Builder rows(int count) {
      rows = count;
      return this;
    }

    /**
     * The arrays are taken over and may be longer than the rows.
     *
     * @param low whole numbers, bits of doubles or low longs of addresses; null for texts
     * @param high high longs of addresses and of 128-bit numbers; null if each is the sign of low
     * @param text null for other kinds
     * @param isNull null if no row is NULL
     */
    public Builder fill(
        int column,
        long @Nullable [] low,
        long @Nullable [] high,
        @Nullable String @Nullable [] text,
        boolean @Nullable [] isNull) {
      columns.get(column).fill(rows, low, high, text, isNull);
      return this;
    }

    /** A whole number, boolean, time, duration, or a double's bits, in the last row. */
    public Builder set(int column, long value) {
      columns.get(column).set(rows - 1, value);
      return this;
    }

    /** An address or a 128-bit number, in the last row. */
    public Builder set(int column, long highLong, long lowLong) {
      columns.get(column).set(rows - 1, highLong, lowLong);
      return this;
    }

    /** A text or NULL, in the last row. */
    public Builder set(int column, @Nullable String value) {
      columns.get(column).set(rows - 1, value);
      return this;
    }

    /** The builder must not be used afterwards. */
    public ResultTable build() {
      List<ResultColumn> built = List.copyOf(columns);
      columns = List.of();
      return new ResultTable(built, rows);
    }
  }
}
