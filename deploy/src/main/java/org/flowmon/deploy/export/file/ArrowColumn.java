package org.flowmon.deploy.export.file;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;

/** One column of a record batch: its field, and its buffers ({@code docs/format/arrow.md}). */
final class ArrowColumn {
  private static final int DIGITS = 38;
  private static final int DECIMAL_BITS = 128;

  private final ExportColumn column;
  private final boolean isText;
  private final BitSet valid = new BitSet();
  private final BitSet flags = new BitSet();
  private final ByteSink validity = new ByteSink();
  private final ByteSink offsets = new ByteSink();
  private final ByteSink values = new ByteSink();
  private int rows;
  private int nulls;

  ArrowColumn(ExportColumn column) {
    this.column = column;
    this.isText = column.kind() == Kind.TEXT || column.kind() == Kind.ADDRESS;
    clear();
  }

  void clear() {
    valid.clear();
    flags.clear();
    validity.clear();
    offsets.clear();
    values.clear();
    offsets.putInt(0);
    rows = 0;
    nulls = 0;
  }

  int nulls() {
    return nulls;
  }

  /** Of its values so far, without validity. */
  long bytes() {
    return (long) values.size() + (isText ? offsets.size() : 0);
  }

  void add(ExportRows block, int c, int from, int to) {
    for (int row = from; row < to; row++) {
      boolean isNull = block.isNull(row, c);
      if (isNull) {
        nulls++;
      } else {
        valid.set(rows);
      }
      if (isText) {
        if (!isNull) {
          putText(block, row, c);
        }
        offsets.putInt(values.size());
      } else {
        putFixed(block, row, c, isNull);
      }
      rows++;
    }
  }

  private void putText(ExportRows block, int row, int c) {
    String text =
        column.kind() == Kind.ADDRESS
            ? IpAddress.format(block.high(row, c), block.low(row, c))
            : block.text(row, c);
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    values.write(utf8, 0, utf8.length);
  }

  /** NULLs take as much room, filled with zeros. */
  private void putFixed(ExportRows block, int row, int c, boolean isNull) {
    long low = isNull ? 0 : block.low(row, c);
    switch (column.kind()) {
      case BOOLEAN -> flags.set(rows, low != 0);
      case UINT8 -> values.write((int) low);
      case UINT16 -> values.putShort((int) low);
      case UINT32 -> values.putInt((int) low);
      case INT64, DOUBLE, TIMESTAMP, DURATION -> values.putLong(low);
      case INT128 -> {
        values.putLong(low);
        values.putLong(isNull ? 0 : block.high(row, c));
      }
      case ADDRESS, TEXT -> throw new IllegalStateException("a text");
    }
  }

  /** In the order of the format, until more rows are added. Without NULLs validity is empty. */
  List<ByteSink> buffers() {
    validity.clear();
    if (nulls > 0) {
      validity.putBits(valid, rows);
    }
    if (column.kind() == Kind.BOOLEAN) {
      values.clear();
      values.putBits(flags, rows);
    }
    return isText ? List.of(validity, offsets, values) : List.of(validity, values);
  }

  /** Returns the offset of the schema's field. */
  int field(FlatBufferBuilder schema) {
    int name = schema.createString(column.name());
    int children = Field.createChildrenVector(schema, new int[0]); // C++ reads no field without
    int type = type(schema);
    return Field.createField(schema, name, true, typeType(), type, 0, children, 0);
  }

  private byte typeType() {
    return switch (column.kind()) {
      case BOOLEAN -> Type.Bool;
      case UINT8, UINT16, UINT32, INT64 -> Type.Int;
      case INT128 -> Type.Decimal;
      case DOUBLE -> Type.FloatingPoint;
      case TIMESTAMP -> Type.Timestamp;
      case DURATION -> Type.Duration;
      case ADDRESS, TEXT -> Type.Utf8;
    };
  }

  private int type(FlatBufferBuilder schema) {
    return switch (column.kind()) {
      case BOOLEAN -> {
        Bool.startBool(schema);
        yield Bool.endBool(schema);
      }
      case UINT8 -> Int.createInt(schema, Byte.SIZE, false);
      case UINT16 -> Int.createInt(schema, Short.SIZE, false);
      case UINT32 -> Int.createInt(schema, Integer.SIZE, false);
      case INT64 -> Int.createInt(schema, Long.SIZE, true);
      case INT128 -> Decimal.createDecimal(schema, DIGITS, 0, DECIMAL_BITS);
      case DOUBLE -> FloatingPoint.createFloatingPoint(schema, Precision.DOUBLE);
      case TIMESTAMP ->
          Timestamp.createTimestamp(schema, TimeUnit.MICROSECOND, schema.createString("UTC"));
      case DURATION -> Duration.createDuration(schema, TimeUnit.MICROSECOND);
      case ADDRESS, TEXT -> {
        Utf8.startUtf8(schema);
        yield Utf8.endUtf8(schema);
      }
    };
  }
}
