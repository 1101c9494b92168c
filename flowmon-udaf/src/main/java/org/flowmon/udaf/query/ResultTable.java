package org.flowmon.udaf.query;

import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;

/**
 * The rows of a query's answer as named, typed columns. Whole numbers are exact up to 128 bits: a
 * SUM may exceed a long, which {@link #longValue} refuses and {@link #bigValue} gives. Immutable.
 */
public final class ResultTable {
  private final List<String> names;
  private final List<ValueKind> kinds;
  private final int rows;
  private final long[][] low;
  // Addresses: the high long. Whole numbers: the high long of the 128-bit value.
  private final long[][] high;
  private final String[][] text;
  private final boolean[][] isNull;

  private ResultTable(Builder builder) {
    this.names = builder.names;
    this.kinds = builder.kinds;
    this.rows = builder.rows;
    int columns = names.size();
    this.low = new long[columns][];
    this.high = new long[columns][];
    this.text = new String[columns][];
    this.isNull = new boolean[columns][];
    for (int c = 0; c < columns; c++) {
      boolean exact = builder.low[c].length == rows;
      low[c] = exact ? builder.low[c] : Arrays.copyOf(builder.low[c], rows);
      high[c] = exact ? builder.high[c] : Arrays.copyOf(builder.high[c], rows);
      text[c] = kinds.get(c) == ValueKind.TEXT ? Arrays.copyOf(builder.text[c], rows) : null;
      isNull[c] = exact ? builder.isNull[c] : Arrays.copyOf(builder.isNull[c], rows);
    }
  }

  public int rowCount() {
    return rows;
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

  /** The kind of a column's values. */
  public ValueKind kind(int column) {
    return kinds.get(column);
  }

  /** The place of the column of this name, −1 where there is none. */
  public int column(String name) {
    return names.indexOf(name);
  }

  public boolean isNull(int row, int column) {
    return isNull[column][row];
  }

  /**
   * A whole number, boolean, time or duration; 0 where it is NULL.
   *
   * @throws ArithmeticException where the value does not fit a long
   */
  public long longValue(int row, int column) {
    require(column, kinds.get(column).isInteger(), "a whole number");
    if (high[column][row] != low[column][row] >> 63) {
      throw new ArithmeticException(
          "row "
              + row
              + " of column "
              + name(column)
              + " is "
              + bigValue(row, column)
              + ", more than a long holds");
    }
    return low[column][row];
  }

  /** A whole number, exactly; 0 where it is NULL. */
  public BigInteger bigValue(int row, int column) {
    require(column, kinds.get(column).isInteger(), "a whole number");
    return Int128.toBigInteger(high[column][row], low[column][row]);
  }

  /** Any number as a double; 0 where it is NULL. */
  public double doubleValue(int row, int column) {
    if (kinds.get(column) == ValueKind.DOUBLE) {
      return Double.longBitsToDouble(low[column][row]);
    }
    require(column, kinds.get(column).isInteger(), "a number");
    return Int128.toDouble(high[column][row], low[column][row]);
  }

  /** An address, null where it is NULL. */
  public IpAddress address(int row, int column) {
    require(column, kinds.get(column) == ValueKind.ADDRESS, "an address");
    return isNull[column][row] ? null : new IpAddress(high[column][row], low[column][row]);
  }

  /** A text, null where it is NULL. */
  public String text(int row, int column) {
    require(column, kinds.get(column) == ValueKind.TEXT, "a text");
    return text[column][row];
  }

  /**
   * A cell as a value for a parameter.
   *
   * @throws ArithmeticException where a whole number does not fit a long
   */
  public Value value(int row, int column) {
    if (isNull[column][row]) {
      return Value.NULL;
    }
    ValueKind kind = kinds.get(column);
    return switch (kind) {
      case TEXT -> Value.ofText(text[column][row]);
      case ADDRESS -> Value.ofAddress(high[column][row], low[column][row]);
      case DOUBLE -> new Value(kind, 0, low[column][row], null);
      default -> new Value(kind, 0, longValue(row, column), null);
    };
  }

  /**
   * Some of the columns.
   *
   * @throws IllegalArgumentException where there is no such column
   */
  public ResultTable select(String... wanted) {
    Builder builder = new Builder();
    int[] places = new int[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      places[i] = column(wanted[i]);
      if (places[i] < 0) {
        throw new IllegalArgumentException("no column " + wanted[i] + " among " + names);
      }
      builder.column(wanted[i], kinds.get(places[i]));
    }
    for (int r = 0; r < rows; r++) {
      builder.row();
      for (int i = 0; i < places.length; i++) {
        int c = places[i];
        if (!isNull[c][r]) {
          if (kinds.get(c) == ValueKind.TEXT) {
            builder.set(i, text[c][r]);
          } else {
            builder.set(i, high[c][r], low[c][r]);
          }
        }
      }
    }
    return builder.build();
  }

  /** A cell for people: ISO 8601 in UTC for times, seconds for durations, empty for NULL. */
  public String formatted(int row, int column) {
    if (isNull[column][row]) {
      return "";
    }
    return switch (kinds.get(column)) {
      case BOOLEAN -> low[column][row] != 0 ? "true" : "false";
      case LONG -> bigValue(row, column).toString();
      case TIMESTAMP -> Instant.EPOCH.plus(longValue(row, column), ChronoUnit.MICROS).toString();
      case DURATION ->
          new java.math.BigDecimal(bigValue(row, column), 6).stripTrailingZeros().toPlainString()
              + " s";
      case DOUBLE -> Double.toString(Double.longBitsToDouble(low[column][row]));
      case ADDRESS -> IpAddress.format(high[column][row], low[column][row]);
      case TEXT -> text[column][row];
    };
  }

  private void require(int column, boolean fits, String expected) {
    if (!fits) {
      throw new IllegalArgumentException(
          "column " + name(column) + " is " + kinds.get(column) + ", not " + expected);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResultTable that
        && rows == that.rows
        && names.equals(that.names)
        && kinds.equals(that.kinds)
        && Arrays.deepEquals(low, that.low)
        && Arrays.deepEquals(high, that.high)
        && Arrays.deepEquals(text, that.text)
        && Arrays.deepEquals(isNull, that.isNull);
  }

  @Override
  public int hashCode() {
    return 31 * names.hashCode() + Arrays.deepHashCode(low);
  }

  /** The table as lines of cells, tab between them: for tests and logs. */
  @Override
  public String toString() {
    StringBuilder lines = new StringBuilder(String.join("\t", names));
    for (int r = 0; r < rows; r++) {
      lines.append('\n');
      for (int c = 0; c < names.size(); c++) {
        lines.append(c == 0 ? "" : "\t").append(isNull[c][r] ? "NULL" : formatted(r, c));
      }
    }
    return lines.toString();
  }

  /** Collects rows, cell by cell. */
  public static final class Builder {
    private final List<String> names = new ArrayList<>();
    private final List<ValueKind> kinds = new ArrayList<>();
    private int rows;
    private long[][] low = new long[0][];
    private long[][] high = new long[0][];
    private String[][] text = new String[0][];
    private boolean[][] isNull = new boolean[0][];

    /** Adds a column; all are added before the first row. */
    public Builder column(String name, ValueKind kind) {
      if (rows > 0) {
        throw new IllegalStateException("columns come before rows");
      }
      names.add(name);
      // A column that is NULL everywhere, as SELECT NULL, has no kind of its own.
      kinds.add(kind == null ? ValueKind.TEXT : kind);
      int columns = names.size();
      low = Arrays.copyOf(low, columns);
      high = Arrays.copyOf(high, columns);
      text = Arrays.copyOf(text, columns);
      isNull = Arrays.copyOf(isNull, columns);
      low[columns - 1] = new long[16];
      high[columns - 1] = new long[16];
      text[columns - 1] = new String[16];
      isNull[columns - 1] = new boolean[16];
      return this;
    }

    /** Makes room for so many rows. */
    public Builder reserve(int capacity) {
      for (int c = 0; c < low.length; c++) {
        if (capacity > low[c].length) {
          boolean isText = kinds.get(c) == ValueKind.TEXT;
          low[c] = Arrays.copyOf(low[c], capacity);
          high[c] = Arrays.copyOf(high[c], capacity);
          text[c] = isText ? Arrays.copyOf(text[c], capacity) : text[c];
          isNull[c] = Arrays.copyOf(isNull[c], capacity);
        }
      }
      return this;
    }

    /** Begins a row; its cells are NULL until they are set. */
    public Builder row() {
      if (low.length > 0 && rows == low[0].length) {
        reserve(2 * rows);
      }
      for (boolean[] column : isNull) {
        column[rows] = true;
      }
      rows++;
      return this;
    }

    /**
     * Sets a cell of the last row: a whole number, boolean, time, duration, or the bits of a
     * double.
     */
    public Builder set(int column, long value) {
      return set(column, kinds.get(column) == ValueKind.DOUBLE ? 0 : value >> 63, value);
    }

    /** Sets a cell of the last row: an address or a 128-bit number. */
    public Builder set(int column, long highLong, long lowLong) {
      high[column][rows - 1] = highLong;
      low[column][rows - 1] = lowLong;
      isNull[column][rows - 1] = false;
      return this;
    }

    /** Sets a cell of the last row: a text, or NULL. */
    public Builder set(int column, String value) {
      text[column][rows - 1] = value;
      isNull[column][rows - 1] = value == null;
      return this;
    }

    /** The table; the builder is of no use afterwards. */
    public ResultTable build() {
      ResultTable table = new ResultTable(this);
      low = null; // the table may have the arrays
      high = null;
      isNull = null;
      return table;
    }
  }
}
