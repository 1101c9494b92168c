package org.flowmon.archive.segment;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;

/**
 * What the footer of a segment file says, checked against the file's bounds and the specification.
 */
final class SegmentDirectory {
  private static final String PLACE = "footer";

  /**
   * Where a column lies and what is known of it without reading it.
   *
   * @param offset of the chunk
   * @param length of the chunk
   * @param dictionary whether it begins with a dictionary page
   * @param nulls number of rows without a value
   * @param min smallest number, of numeric columns
   * @param max largest number, of numeric columns
   * @param side its side table, null where it has none
   */
  record Entry(
      FlowColumn column,
      int offset,
      int length,
      int crc32c,
      boolean dictionary,
      int nulls,
      long min,
      long max,
      Side side) {

    /** Whether every row has the same value. */
    boolean isConstant() {
      return nulls == 0 && (column.type().isLong() ? min == max : side.entries == 1);
    }
  }

  /** A side table. */
  record Side(int offset, int entries, int width, int crc32c) {}

  /** A part of the file that is not a chunk or side table. */
  record Part(int offset, int length, int crc32c) {}

  private final MappedRegion file;
  private final int rows;
  private int clamped;
  private final Map<String, String> properties = new HashMap<>();
  private final Map<FlowColumn, Entry> entries = new EnumMap<>(FlowColumn.class);

  private SegmentDirectory(MappedRegion file, int rows) {
    this.file = file;
    this.rows = rows;
  }

  /**
   * Reads the footer.
   *
   * @param footerLength from the start of the metadata to the end of the file
   */
  static SegmentDirectory open(MappedRegion file, int footerLength, String id, int rows) {
    SegmentDirectory directory = new SegmentDirectory(file, rows);
    try {
      directory.parse(footerLength, id);
    } catch (NumberFormatException e) {
      throw file.corrupt(PLACE, "cannot be read: " + e.getMessage());
    }
    return directory;
  }

  Map<FlowColumn, Entry> entries() {
    return entries;
  }

  /** Rows whose time key is not their {@code end_time} though that is known. */
  int clamped() {
    return clamped;
  }

  /** The page index, which flowmon's reader does not use. */
  Part pageIndex() {
    String[] fields = property(SegmentFormat.KEY_PAGE_INDEX).split(":", 3);
    check(fields.length == 3, "'offset:length:crc32c' of the page index");
    return new Part(
        Integer.parseInt(fields[0]),
        Integer.parseInt(fields[1]),
        Integer.parseUnsignedInt(fields[2], 16));
  }

  private void parse(int footerLength, String id) {
    ByteBuffer buffer = file.buffer();
    int end = file.length();
    int magic = ByteBuffer.wrap(SegmentFormat.MAGIC).order(ByteOrder.LITTLE_ENDIAN).getInt();
    check(
        end >= 12 && buffer.getInt(0) == magic && buffer.getInt(end - 4) == magic,
        "'PAR1' at begin and end");
    int length = buffer.getInt(end - 8);
    check(length == footerLength - 8, "a length of " + (footerLength - 8) + ", found " + length);
    byte[] bytes = new byte[length];
    buffer.get(end - 8 - length, bytes);
    FileMetaData metadata = readMetadata(bytes);
    check(
        metadata.isSetKey_value_metadata() && metadata.getRow_groupsSize() == 1,
        "one row group and key-value metadata");
    for (KeyValue entry : metadata.getKey_value_metadata()) {
      properties.put(entry.getKey(), entry.getValue());
    }
    String format = property(SegmentFormat.KEY_FORMAT);
    check(
        format.equals(SegmentFormat.VERSION),
        "format " + SegmentFormat.VERSION + ", found " + format);
    check(
        property(SegmentFormat.KEY_SEGMENT).equals(id),
        "segment " + id + ", found " + property(SegmentFormat.KEY_SEGMENT));
    check(metadata.getNum_rows() == rows, rows + " rows, found " + metadata.getNum_rows());
    clamped = Integer.parseInt(property(SegmentFormat.KEY_CLAMPED));
    check(clamped >= 0 && clamped <= rows, "0 … " + rows + " clamped rows, found " + clamped);
    Map<Integer, Side> sides = parseSides();
    Map<Integer, Integer> crcs = parseChunks();
    var columns = metadata.getRow_groups().get(0).getColumns();
    check(
        metadata.getSchemaSize() == columns.size() + 1,
        "a flat schema of " + columns.size() + " columns");
    for (int i = 0; i < columns.size(); i++) {
      SchemaElement element = metadata.getSchema().get(i + 1);
      FlowColumn column = FlowColumn.byId(element.getField_id());
      if (column != null) { // a newer writer's column is of no use here
        Integer crc = crcs.get(column.id());
        check(crc != null, "a checksum of column " + column.sqlName());
        entries.put(column, entry(column, columns.get(i), crc, sides.get(column.id())));
      }
    }
  }

  private FileMetaData readMetadata(byte[] bytes) {
    try {
      return Util.readFileMetaData(new ByteArrayInputStream(bytes));
    } catch (IOException | RuntimeException e) { // the library's checks throw either
      throw file.corrupt(PLACE, "cannot be read: " + e.getMessage());
    }
  }

  private Map<Integer, Side> parseSides() {
    Map<Integer, Side> sides = new HashMap<>();
    for (String text : split(property(SegmentFormat.KEY_SIDES))) {
      String[] fields = text.split(":", 5);
      check(fields.length == 5, "side tables of five fields, found '" + text + "'");
      Side side =
          new Side(
              Integer.parseInt(fields[1]),
              Integer.parseInt(fields[2]),
              Integer.parseInt(fields[3]),
              Integer.parseUnsignedInt(fields[4], 16));
      check(
          side.entries >= 1 && side.entries <= rows && (side.width == 4 || side.width == 16),
          "a side table, found " + text);
      file.checkRange(PLACE, side.offset, (long) side.entries * side.width);
      sides.put(Integer.valueOf(fields[0]), side);
    }
    return sides;
  }

  private Map<Integer, Integer> parseChunks() {
    Map<Integer, Integer> crcs = new HashMap<>();
    for (String text : split(property(SegmentFormat.KEY_CHUNKS))) {
      String[] fields = text.split(":", 2);
      check(fields.length == 2, "checksums 'id:crc32c', found '" + text + "'");
      crcs.put(Integer.valueOf(fields[0]), Integer.parseUnsignedInt(fields[1], 16));
    }
    return crcs;
  }

  private static String[] split(String list) {
    return list.isEmpty() ? new String[0] : list.split(",");
  }

  private Entry entry(FlowColumn column, ColumnChunk chunk, int crc, Side side) {
    check(chunk.isSetMeta_data(), "metadata of column " + column.sqlName());
    ColumnMetaData metadata = chunk.getMeta_data();
    boolean dictionary = metadata.isSetDictionary_page_offset();
    long offset =
        dictionary ? metadata.getDictionary_page_offset() : metadata.getData_page_offset();
    file.checkRange(PLACE, offset, metadata.getTotal_compressed_size());
    check(
        metadata.getType() == SegmentFormat.physicalType(column.type())
            && metadata.getCodec() == CompressionCodec.UNCOMPRESSED
            && metadata.getNum_values() == rows
            && metadata.isSetStatistics(),
        "column "
            + column.sqlName()
            + " as "
            + SegmentFormat.physicalType(column.type())
            + ", uncompressed, of "
            + rows
            + " rows");
    check(
        dictionary || !SegmentFormat.alwaysDictionary(column),
        "a dictionary of column " + column.sqlName());
    check(column.type().isLong() == (side == null), "side tables of addresses and texts only");
    Statistics statistics = metadata.getStatistics();
    long nulls = statistics.getNull_count();
    check(nulls >= 0 && nulls < rows, "fewer nulls than rows in column " + column.sqlName());
    long min = 0;
    long max = 0;
    if (column.type().isLong()) {
      min = number(column.type(), statistics.getMin_value());
      max = number(column.type(), statistics.getMax_value());
    }
    return new Entry(
        column,
        (int) offset,
        (int) metadata.getTotal_compressed_size(),
        crc,
        dictionary,
        (int) nulls,
        min,
        max,
        side);
  }

  private long number(ColumnType type, byte[] plain) {
    int width = type == ColumnType.BOOLEAN ? 1 : SegmentFormat.width(type);
    check(plain != null && plain.length == width, "statistics of " + width + " bytes");
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = (value << 8) | (plain[i] & 0xFF);
    }
    return value;
  }

  private String property(String key) {
    String value = properties.get(key);
    check(value != null, key);
    return value;
  }

  private void check(boolean holds, String expected) {
    if (!holds) {
      throw file.corrupt(PLACE, "expected " + expected);
    }
  }
}
