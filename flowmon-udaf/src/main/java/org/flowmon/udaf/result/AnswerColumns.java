package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Deviation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * An answer while it is written by column: {@link #inspect} all states, {@link #allocate}, then
 * write keys and aggregates. Several threads may inspect, and write different rows, at the same
 * time.
 */
public final class AnswerColumns {
  /** A column of the answer. */
  private static final class Column {
    private final SelectItem item;
    private final int key; // its place in GROUP BY, −1 if it is no key
    private final @Nullable Accumulator value; // of an aggregate
    private final @Nullable Accumulator values;
    private final @Nullable Deviation deviation; // null for other aggregates
    private boolean isWide;
    private boolean hasNulls;
    private long[] low = {};
    private long[] high = {};
    private @Nullable String[] texts = {};
    private boolean[] isNull = {};

    Column(FlowQuery query, GroupLayout layout, SelectItem item) {
      this.item = item;
      AggregateCall call = item.what() instanceof AggregateCall one && !one.isState() ? one : null;
      this.value = call == null ? null : layout.value(call);
      this.values = call == null ? null : layout.values(call);
      this.deviation = call != null && Deviation.is(call) ? new Deviation(layout, call) : null;
      this.key = call != null ? -1 : query.groupBy().indexOf(item.what());
    }

    boolean isLiteral() {
      return key < 0 && item.what() instanceof Literal;
    }

    boolean isAggregate() {
      return value != null;
    }

    Accumulator value() {
      return Objects.requireNonNull(value, "an aggregate's");
    }

    Accumulator values() {
      return Objects.requireNonNull(values, "an aggregate's");
    }

    boolean isCount() {
      return value().equals(values);
    }
  }

  private final Column[] columns;
  private int rows;

  public AnswerColumns(FlowQuery query, GroupLayout layout) {
    this.columns =
        query.select().stream().map(item -> new Column(query, layout, item)).toArray(Column[]::new);
  }

  /** Looks at states, {@code stride} words apart: arrays that none of them needs are not made. */
  public void inspect(long[] states, int first, int stride, int groups) {
    for (Column column : columns) {
      if (!column.isAggregate() || column.isCount()) {
        continue;
      }
      boolean isSum = column.value().operation() == Accumulator.Operation.SUM;
      int wraps = first + column.value().word() + 1;
      int count = first + column.values().word();
      long wide = 0;
      boolean nulls = false;
      for (int g = 0; g < groups; g++) {
        wide |= isSum ? states[wraps + g * stride] : 0;
        nulls |=
            column.deviation == null
                ? states[count + g * stride] == 0
                : column.deviation.isNull(states, first + g * stride);
      }
      synchronized (this) {
        column.isWide |= wide != 0;
        column.hasNulls |= nulls;
      }
    }
  }

  /** Bytes of a row of a column that {@link #allocate} makes; 0 if it makes none. */
  public int bytesPerRow(int place) {
    Column column = columns[place];
    boolean isAddress = column.item.what().kind() == ValueKind.ADDRESS;
    boolean isWide = column.isAggregate() && column.isWide;
    int longs = isAddress || isWide ? 2 : 1;
    int marks = column.hasNulls ? 1 : 0;
    return column.isAggregate() || column.isLiteral() ? longs * Long.BYTES + marks : 0;
  }

  public void allocateAll(int rowCount) {
    setRows(rowCount);
    for (int column = 0; column < columns.length; column++) {
      allocate(column);
    }
  }

  public void setRows(int rowCount) {
    rows = rowCount;
  }

  /** Makes one column, unless it is a key or computed; several threads may each make some. */
  public void allocate(int place) {
    Column column = columns[place];
    if (column.isAggregate()) {
      boolean isAddress = column.item.what().kind() == ValueKind.ADDRESS;
      column.low = new long[rows];
      column.high = new long[isAddress || column.isWide ? rows : 0];
      column.isNull = new boolean[column.hasNulls ? rows : 0];
    } else if (column.isLiteral()) {
      allocateLiteral(column, ((Literal) column.item.what()).value());
    }
  }

  private void allocateLiteral(Column column, Value value) {
    if (value.isNull()) {
      return;
    }
    if (value.kind() == ValueKind.TEXT) {
      column.texts = new String[rows];
      Arrays.fill(column.texts, value.text());
      return;
    }
    column.low = new long[rows];
    Arrays.fill(column.low, value.low());
    if (value.kind() == ValueKind.ADDRESS) {
      column.high = new long[rows];
      Arrays.fill(column.high, value.high());
    }
  }

  public int count() {
    return columns.length;
  }

  /** The place in GROUP BY of the key that a column shows, −1 if it shows none. */
  public int key(int column) {
    return columns[column].key;
  }

  /** Sets a key or computed column without texts, as the next one. */
  public void set(int column, long[] low, long[] high, boolean[] isNull) {
    set(column, low, high, new String[0], isNull);
  }

  /**
   * Sets a key or computed column, given away; may be filled until {@link #build}. Arrays that it
   * does not need are empty.
   */
  void set(int column, long[] low, long[] high, @Nullable String[] texts, boolean[] isNull) {
    columns[column].low = low;
    columns[column].high = high;
    columns[column].texts = texts;
    columns[column].isNull = isNull;
  }

  public long[] low(int column) {
    return columns[column].low;
  }

  /** Empty if the column needs none. */
  public long[] high(int column) {
    return columns[column].high;
  }

  /** Empty if no row is NULL. */
  public boolean[] isNull(int column) {
    return columns[column].isNull;
  }

  /** Writes aggregates of groups, whose states start at {@code places}, from {@code row} on. */
  public void writeAggregates(long[] states, int[] places, int groups, int row) {
    for (Column column : columns) {
      if (column.isAggregate()) {
        write(column, states, places, groups, row);
      }
    }
  }

  private static void write(Column column, long[] states, int[] places, int groups, int row) {
    if (column.deviation != null) {
      writeDeviations(column, column.deviation, states, places, groups, row);
      return;
    }
    int word = column.value().word();
    int values = column.values().word();
    boolean isDouble = column.item.what().kind() == ValueKind.DOUBLE;
    boolean isSum = column.value().operation() == Accumulator.Operation.SUM;
    if (isDouble && !column.isCount()) {
      for (int i = 0; i < groups; i++) {
        column.low[row + i] =
            isSum
                ? average(states, places[i] + word, places[i] + values)
                : Accumulation.sortable(states[places[i] + word]);
      }
    } else if (column.value().operation().isAddress()) {
      for (int i = 0; i < groups; i++) {
        column.high[row + i] = states[places[i] + word];
        column.low[row + i] = states[places[i] + word + 1];
      }
    } else {
      long[] low = column.low;
      for (int i = 0; i < groups; i++) {
        low[row + i] = states[places[i] + word];
      }
      writeHighs(column, states, places, groups, row);
    }
    if (column.isNull.length > 0) {
      for (int i = 0; i < groups; i++) {
        column.isNull[row + i] = states[places[i] + values] == 0;
      }
    }
  }

  private static void writeDeviations(
      Column column, Deviation deviation, long[] states, int[] places, int groups, int row) {
    for (int i = 0; i < groups; i++) {
      if (deviation.isNull(states, places[i])) {
        column.isNull[row + i] = true;
      } else {
        column.low[row + i] = Double.doubleToLongBits(deviation.of(states, places[i]));
      }
    }
  }

  private static void writeHighs(Column column, long[] states, int[] places, int n, int row) {
    if (column.high.length > 0) {
      int word = column.value().word();
      for (int i = 0; i < n; i++) {
        int at = places[i] + word;
        column.high[row + i] = states[at + 1] + (states[at] >> 63);
      }
    }
  }

  private static long average(long[] states, int sum, int count) {
    long low = states[sum];
    long values = states[count];
    return values == 0
        ? 0
        : Double.doubleToLongBits(Int128.divide(states[sum + 1] + (low >> 63), low, values));
  }

  public ResultTable build() {
    ResultTable.Builder builder = new ResultTable.Builder();
    for (Column column : columns) {
      builder.column(column.item.name(), column.item.what().kind());
    }
    builder.rows(rows);
    for (int c = 0; c < columns.length; c++) {
      Column column = columns[c];
      builder.fill(c, column.low, column.high, column.texts, column.isNull);
    }
    return builder.build();
  }
}
