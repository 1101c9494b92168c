package org.flowmon.jobs.sql.row;

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
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Gives the rows of result tables to Flink in place: one row object points at the table's columns.
 * It is reused, which Flink's chains allow for as they do for rows of files.
 */
public final class RowVectors {
  private final Vector[] vectors;
  private final ColumnarRowData row;

  public RowVectors(List<SqlField> fields) {
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

  public void emit(ResultTable table, Consumer<RowData> output) {
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
      return SqlTypes.time(low[at], unit);
    }
  }

  /** Addresses as 16 bytes. */
  private static final class AddressBytes extends Vector implements BytesColumnVector {
    AddressBytes(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public Bytes getBytes(int at) {
      byte[] bytes = SqlTypes.bytes(table.high(at, column), low[at]);
      return new Bytes(bytes, 0, bytes.length);
    }
  }

  /** Texts, and addresses as text. */
  private static final class Texts extends Vector implements BytesColumnVector {
    private final AddressTexts addresses = new AddressTexts();

    Texts(int column, SqlField field) {
      super(column, field);
    }

    @Override
    public Bytes getBytes(int at) {
      byte[] utf8 =
          isText(table)
              ? table.requireText(at, column).getBytes(StandardCharsets.UTF_8)
              : addresses.utf8(table.high(at, column), low[at]);
      return new Bytes(utf8, 0, utf8.length);
    }
  }
}
