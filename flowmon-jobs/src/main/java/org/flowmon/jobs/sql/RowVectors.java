package org.flowmon.jobs.sql;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.BooleanColumnVector;
import org.apache.flink.table.data.columnar.vector.BytesColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.IntColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.data.columnar.vector.ShortColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Gives the rows of result tables to Flink in place: one row object points at the table's columns.
 * It is reused, which Flink's chains allow for as they do for rows of files.
 */
final class RowVectors {
  private final Vector[] vectors;
  private final ColumnarRowData row;

  RowVectors(List<SqlField> fields) {
    vectors = new Vector[fields.size()];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = vector(i, fields.get(i));
    }
    row = new ColumnarRowData(new VectorizedColumnBatch(vectors));
  }

  private static Vector vector(int column, SqlField field) {
    return switch (field.type().getTypeRoot()) {
      case BOOLEAN -> new Booleans(column, field);
      case SMALLINT -> new Shorts(column, field);
      case INTEGER -> new Ints(column, field);
      case BIGINT -> new Longs(column, field);
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> new Times(column, field);
      case VARCHAR -> new Texts(column, field);
      case BINARY, VARBINARY -> new AddressBytes(column, field);
      default -> throw new IllegalArgumentException("no column of flows has " + field.type());
    };
  }

  void emit(ResultTable table, Consumer<RowData> output) {
    for (Vector vector : vectors) {
      vector.open(table);
    }
    for (int i = 0; i < table.rowCount(); i++) {
      row.setRowId(i);
      output.accept(row);
    }
  }

  /** A column of the open table. */
  private abstract static class Vector implements ColumnVector {
    final int column;
    private final boolean nullIsZero;
    ResultTable table = new ResultTable.Builder().build();
    long[] low = {};
    private boolean hasNulls;

    Vector(int column, SqlField field) {
      this.column = column;
      this.nullIsZero = field.nullIsZero();
    }

    void open(ResultTable next) {
      table = next;
      hasNulls = !nullIsZero && next.hasNulls(column);
      low = isText(next) ? new long[0] : next.lows(column); // 0 if NULL
    }

    final boolean isText(ResultTable of) {
      return of.kind(column) == ValueKind.TEXT;
    }

    @Override
    public final boolean isNullAt(int at) {
      return hasNulls && table.isNull(at, column);
    }
  }

  private static final class Booleans extends Vector implements BooleanColumnVector {
    Booleans(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public boolean getBoolean(int at) {
      return low[at] != 0;
    }
  }

  private static final class Shorts extends Vector implements ShortColumnVector {
    Shorts(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public short getShort(int at) {
      return (short) low[at]; // sums wrap, as Flink's do
    }
  }

  private static final class Ints extends Vector implements IntColumnVector {
    Ints(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public int getInt(int at) {
      return (int) low[at]; // sums wrap, as Flink's do
    }
  }

  private static final class Longs extends Vector implements LongColumnVector {
    Longs(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public long getLong(int at) {
      return low[at]; // sums wrap, as Flink's do
    }
  }

  private static final class Times extends Vector implements TimestampColumnVector {
    private final long unit;

    Times(int column, SqlField field) {
      super(column, field);
      unit = SqlTypes.unitMicros(field.type());
    }

    @Override
    public TimestampData getTimestamp(int at, int precision) {
      long micros = Math.floorDiv(low[at], unit) * unit;
      return TimestampData.fromEpochMillis(
          Math.floorDiv(micros, 1000L), Math.floorMod(micros, 1000) * 1000);
    }
  }

  /** Addresses as 16 bytes. */
  private static final class AddressBytes extends Vector implements BytesColumnVector {
    AddressBytes(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public Bytes getBytes(int at) {
      byte[] bytes =
          ByteBuffer.allocate(2 * Long.BYTES)
              .putLong(table.high(at, column))
              .putLong(low[at])
              .array();
      return new Bytes(bytes, 0, bytes.length);
    }
  }

  /** Texts, and addresses as text; those seen last are not written anew. */
  private static final class Texts extends Vector implements BytesColumnVector {
    private static final int KEPT = 1 << 12;

    private final long[] highs = new long[KEPT];
    private final long[] lows = new long[KEPT];
    private final @Nullable Bytes[] kept = new Bytes[KEPT];

    Texts(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public Bytes getBytes(int at) {
      if (isText(table)) {
        return bytes(table.requireText(at, column));
      }
      long high = table.high(at, column);
      int place = (int) (((high * 31 + low[at]) * 0x9E37_79B9_7F4A_7C15L) >>> 52);
      Bytes known = kept[place];
      if (known == null || highs[place] != high || lows[place] != low[at]) {
        known = bytes(IpAddress.format(high, low[at]));
        kept[place] = known;
        highs[place] = high;
        lows[place] = low[at];
      }
      return known;
    }

    private static Bytes bytes(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return new Bytes(utf8, 0, utf8.length);
    }
  }
}
