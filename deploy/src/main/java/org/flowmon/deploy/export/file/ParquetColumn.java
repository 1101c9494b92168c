package org.flowmon.deploy.export.file;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;

/** The values of one column of a row group in PLAIN encoding. */
final class ParquetColumn {
  private static final int DIGITS = 38;
  private static final int DECIMAL_BYTES = 16;

  private final ExportColumn column;
  private final ByteArrayOutputStream values = new ByteArrayOutputStream();
  private final BitSet valid = new BitSet();
  private final BitSet flags = new BitSet();
  private int rows;
  private int count;

  ParquetColumn(ExportColumn column) {
    this.column = column;
  }

  String name() {
    return column.name();
  }

  int bytes() {
    return values.size();
  }

  int nulls() {
    return rows - count;
  }

  void clear() {
    values.reset();
    valid.clear();
    flags.clear();
    rows = 0;
    count = 0;
  }

  void add(ExportRows block, int c) {
    for (int row = 0; row < block.rows(); row++) {
      if (!block.isNull(row, c)) {
        valid.set(rows);
        put(block, row, c);
        count++;
      }
      rows++;
    }
  }

  private void put(ExportRows block, int row, int c) {
    switch (column.kind()) {
      case BOOLEAN -> flags.set(count, block.low(row, c) != 0);
      case UINT8, UINT16, UINT32 -> littleEndian(block.low(row, c), 4);
      case INT64, TIMESTAMP, DURATION, DOUBLE -> littleEndian(block.low(row, c), 8);
      case INT128 -> {
        bigEndian(block.high(row, c));
        bigEndian(block.low(row, c));
      }
      case ADDRESS -> text(IpAddress.format(block.high(row, c), block.low(row, c)));
      case TEXT -> text(block.text(row, c));
    }
  }

  private void littleEndian(long value, int width) {
    for (int i = 0; i < width; i++) {
      values.write((int) (value >>> (8 * i)));
    }
  }

  private void bigEndian(long value) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      values.write((int) (value >>> shift));
    }
  }

  private void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    littleEndian(utf8.length, 4);
    values.writeBytes(utf8);
  }

  /** The bytes of a data page: definition levels, one bit-packed run, then the values. */
  byte[] page(int groupRows) {
    ByteArrayOutputStream page = new ByteArrayOutputStream(values.size() + groupRows / 4 + 16);
    int groups = (groupRows + 7) / 8;
    ByteArrayOutputStream run = new ByteArrayOutputStream();
    for (int left = (groups << 1) | 1; ; left >>>= 7) {
      if (left < 0x80) {
        run.write(left);
        break;
      }
      run.write((left & 0x7F) | 0x80);
    }
    write(run, valid, groups);
    for (int shift = 0; shift < 32; shift += 8) {
      page.write(run.size() >>> shift);
    }
    page.writeBytes(run.toByteArray());
    if (column.kind() == ExportColumn.Kind.BOOLEAN) {
      write(page, flags, (count + 7) / 8);
    } else {
      page.writeBytes(values.toByteArray());
    }
    return page.toByteArray();
  }

  private static void write(ByteArrayOutputStream out, BitSet bits, int bytes) {
    byte[] set = bits.toByteArray();
    out.write(set, 0, Math.min(set.length, bytes));
    for (int i = set.length; i < bytes; i++) {
      out.write(0);
    }
  }

  Type physicalType() {
    return switch (column.kind()) {
      case BOOLEAN -> Type.BOOLEAN;
      case UINT8, UINT16, UINT32 -> Type.INT32;
      case INT64, TIMESTAMP, DURATION -> Type.INT64;
      case DOUBLE -> Type.DOUBLE;
      case INT128 -> Type.FIXED_LEN_BYTE_ARRAY;
      case ADDRESS, TEXT -> Type.BYTE_ARRAY;
    };
  }

  SchemaElement schemaElement() {
    SchemaElement element = new SchemaElement(column.name());
    element.setType(physicalType());
    element.setRepetition_type(FieldRepetitionType.OPTIONAL);
    if (column.flow() != null) {
      element.setField_id(column.flow().id());
    }
    switch (column.kind()) {
      case UINT8 -> unsigned(element, 8, ConvertedType.UINT_8);
      case UINT16 -> unsigned(element, 16, ConvertedType.UINT_16);
      case UINT32 -> unsigned(element, 32, ConvertedType.UINT_32);
      case TIMESTAMP ->
          element.setLogicalType(
              LogicalType.TIMESTAMP(new TimestampType(true, TimeUnit.MICROS(new MicroSeconds()))));
      case INT128 -> {
        element.setType_length(DECIMAL_BYTES);
        element.setConverted_type(ConvertedType.DECIMAL);
        element.setPrecision(DIGITS);
        element.setScale(0);
        element.setLogicalType(LogicalType.DECIMAL(new DecimalType(0, DIGITS)));
      }
      case ADDRESS, TEXT -> {
        element.setConverted_type(ConvertedType.UTF8);
        element.setLogicalType(LogicalType.STRING(new StringType()));
      }
      default -> {}
    }
    return element;
  }

  private static void unsigned(SchemaElement element, int bits, ConvertedType converted) {
    element.setConverted_type(converted);
    element.setLogicalType(LogicalType.INTEGER(new IntType((byte) bits, false)));
  }
}
