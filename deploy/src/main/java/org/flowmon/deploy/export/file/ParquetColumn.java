package org.flowmon.deploy.export.file;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;

/** The values of one column of a row group in PLAIN encoding. */
final class ParquetColumn {
  private static final int DIGITS = 38;
  private static final int DECIMAL_BYTES = 16;

  private final ExportColumn column;
  private final SchemaElement element;
  private final ByteSink values = new ByteSink();
  private final BitSet valid = new BitSet();
  private final BitSet flags = new BitSet();
  private int rows;
  private int count;

  ParquetColumn(ExportColumn column) {
    this.column = column;
    this.element = element(column);
  }

  SchemaElement element() {
    return element;
  }

  int bytes() {
    return values.size();
  }

  int nulls() {
    return rows - count;
  }

  void clear() {
    values.clear();
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
      case UINT8, UINT16 -> values.putInt((int) block.low(row, c));
      case UINT32, INT64, TIMESTAMP, DURATION, DOUBLE -> values.putLong(block.low(row, c));
      case INT128 -> {
        values.putLongBigEndian(block.high(row, c));
        values.putLongBigEndian(block.low(row, c));
      }
      case ADDRESS -> text(IpAddress.format(block.high(row, c), block.low(row, c)));
      case TEXT -> text(block.text(row, c));
    }
  }

  private void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    values.putInt(utf8.length);
    values.write(utf8, 0, utf8.length);
  }

  /** Appends the bytes of a data page: definition levels, one bit-packed run, then the values. */
  void writePage(ByteSink page) {
    int start = page.size();
    page.putInt(0);
    page.putVarint((((rows + 7) >>> 3) << 1) | 1);
    page.putBits(valid, rows);
    page.setInt(start, page.size() - start - Integer.BYTES);
    if (column.kind() == ExportColumn.Kind.BOOLEAN) {
      page.putBits(flags, count);
    } else {
      page.write(values.array(), 0, values.size());
    }
  }

  private static SchemaElement element(ExportColumn column) {
    SchemaElement element =
        switch (column.kind()) {
          case BOOLEAN -> SegmentFormat.schemaElement(column.name(), ColumnType.BOOLEAN);
          case UINT8 -> SegmentFormat.schemaElement(column.name(), ColumnType.UINT8);
          case UINT16 -> SegmentFormat.schemaElement(column.name(), ColumnType.UINT16);
          case UINT32 -> SegmentFormat.schemaElement(column.name(), ColumnType.UINT32);
          case INT64 -> SegmentFormat.schemaElement(column.name(), ColumnType.COUNT);
          case TIMESTAMP -> SegmentFormat.schemaElement(column.name(), ColumnType.TIMESTAMP);
          case DURATION -> SegmentFormat.schemaElement(column.name(), ColumnType.DURATION);
          case ADDRESS, TEXT -> SegmentFormat.schemaElement(column.name(), ColumnType.TEXT);
          case DOUBLE -> optional(column.name(), Type.DOUBLE);
          case INT128 ->
              optional(column.name(), Type.FIXED_LEN_BYTE_ARRAY)
                  .setType_length(DECIMAL_BYTES)
                  .setConverted_type(ConvertedType.DECIMAL)
                  .setPrecision(DIGITS)
                  .setScale(0)
                  .setLogicalType(LogicalType.DECIMAL(new DecimalType(0, DIGITS)));
        };
    return column.flow() == null ? element : element.setField_id(column.flow().id());
  }

  private static SchemaElement optional(String name, Type type) {
    return new SchemaElement(name).setType(type).setRepetition_type(FieldRepetitionType.OPTIONAL);
  }
}
