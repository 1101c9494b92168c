package org.flowmon.archive.segment.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SegmentCodec;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/** The footer of a segment file, checked against the file's bounds and the specification. */
public final class ParsedFooter {
  private static final String PLACE = "footer";

  /**
   * The place of a column, and its properties known without reading it; {@code min} and {@code max}
   * are of numeric columns.
   *
   * @param width bytes of a PLAIN number; 0 for booleans and byte arrays
   * @param uncompressed bytes of all its pages, including headers, before compression
   * @param side its side table, null if it has none
   * @param blocks table of its delta blocks, null if there is none
   * @param pages table of its pages, of {@link Table#width} rows each; null if it is one
   *     uncompressed page
   */
  public record Entry(
      FlowColumn column,
      int width,
      int offset,
      int length,
      long uncompressed,
      int crc32c,
      SegmentCodec codec,
      Encoding encoding,
      int nulls,
      long min,
      long max,
      @Nullable Table side,
      @Nullable Table blocks,
      @Nullable Table pages) {

    /** Whether its values are ids into a dictionary page. */
    public boolean hasDictionary() {
      return encoding == Encoding.RLE_DICTIONARY;
    }

    /** Whether every row has the same value. */
    public boolean isConstant() {
      return nulls == 0 && (side == null ? min == max : side.entries == 1);
    }
  }

  /** A table outside of the chunks; {@code width} is a side entry's, or rows of a page. */
  public record Table(int offset, int entries, int bytes, int width, int crc32c) {}

  /** A part of the file that is not a chunk or side table. */
  public record Part(int offset, int length, int crc32c) {}

  private final MappedRegion file;
  private final int rows;
  private int clamped;
  private boolean narrow; // numbers of 32 bits are INT32
  private final Map<String, String> properties = new HashMap<>();
  private final Map<FlowColumn, Entry> entries = new TreeMap<>();
  private final Map<String, FlowColumn> names = new HashMap<>();

  private ParsedFooter(MappedRegion file, int rows) {
    this.file = file;
    this.rows = rows;
  }

  /** Reads the footer: {@code footerLength} from the metadata's start to the file's end. */
  public static ParsedFooter open(MappedRegion file, int footerLength, String id, int rows) {
    ParsedFooter directory = new ParsedFooter(file, rows);
    try {
      directory.parse(footerLength, id);
    } catch (NumberFormatException e) {
      throw file.corrupt(PLACE, "cannot be read: " + e.getMessage());
    }
    return directory;
  }

  public Map<FlowColumn, Entry> entries() {
    return entries;
  }

  /** Columns have the names that they had here; one that is not here does not matter. */
  private List<FlowColumn> named(String name) {
    FlowColumn column = names.containsKey(name) ? names.get(name) : FlowColumn.byName(name);
    return column == null ? List.of() : List.of(column);
  }

  /** Rows whose time key is not their known {@code end_time}. */
  public int clamped() {
    return clamped;
  }

  /** Columns that the sidecar indexes; the default ones if unsaid, or said by a later version. */
  public Set<FlowColumn> indexed() {
    String options = properties.get(SegmentFormat.KEY_OPTIONS);
    try {
      return options == null
          ? SegmentOptions.LOOKUP.indexed()
          : SegmentOptions.parse(options, this::named).indexed();
    } catch (IllegalArgumentException e) {
      return SegmentOptions.LOOKUP.indexed();
    }
  }

  /** The page index, which flowmon's reader does not use. */
  public Part pageIndex() {
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
    boolean first = checkFormat().equals(SegmentFormat.VERSION_1);
    check(
        property(SegmentFormat.KEY_SEGMENT).equals(id),
        "segment " + id + ", found " + property(SegmentFormat.KEY_SEGMENT));
    check(metadata.getNum_rows() == rows, rows + " rows, found " + metadata.getNum_rows());
    clamped = Integer.parseInt(property(SegmentFormat.KEY_CLAMPED));
    check(clamped >= 0 && clamped <= rows, "0 … " + rows + " clamped rows, found " + clamped);
    Map<Integer, Table> sides = parseTables(SegmentFormat.KEY_SIDES, 0);
    Map<Integer, Table> blocks = Map.of();
    Map<Integer, Table> pages = Map.of();
    if (!first) {
      blocks = parseTables(SegmentFormat.KEY_BLOCKS, DeltaEncoder.ENTRY);
      pages = parseTables(SegmentFormat.KEY_PAGES, PageTable.ENTRY);
    }
    Map<Integer, Integer> crcs = parseChunks();
    Map<Integer, Typed> types = parseTypes();
    var columns = metadata.getRow_groups().get(0).getColumns();
    check(
        metadata.getSchemaSize() == columns.size() + 1,
        "a flat schema of " + columns.size() + " columns");
    for (int i = 0; i < columns.size(); i++) {
      SchemaElement element = metadata.getSchema().get(i + 1);
      FlowColumn column = column(element, types.get(element.getField_id()));
      if (column != null) {
        Integer crc = crcs.get(column.id());
        if (crc == null) {
          throw unexpected("a checksum of column " + column.sqlName());
        }
        Integer key = column.id();
        names.put(element.getName(), column);
        entries.put(
            column,
            entry(column, columns.get(i), crc, sides.get(key), blocks.get(key), pages.get(key)));
      }
    }
  }

  private String checkFormat() {
    String format = property(SegmentFormat.KEY_FORMAT);
    narrow = format.equals(SegmentFormat.VERSION_1) || format.equals(SegmentFormat.VERSION_2);
    check(
        narrow || format.equals(SegmentFormat.VERSION),
        String.format(
            "format %s, %s or %s, found %s",
            SegmentFormat.VERSION_1, SegmentFormat.VERSION_2, SegmentFormat.VERSION, format));
    return format;
  }

  private FileMetaData readMetadata(byte[] bytes) {
    try {
      var unused = ThriftStruct.check(bytes);
      return ParquetStructs.fileMetaData(bytes);
    } catch (IOException | RuntimeException e) { // the library's checks throw both
      throw file.corrupt(PLACE, "cannot be read: " + e.getMessage());
    }
  }

  /** Reads a list of tables with entries of {@code bytes}; 0 if the list has it: side tables. */
  private Map<Integer, Table> parseTables(String key, int bytes) {
    Map<Integer, Table> tables = new HashMap<>();
    for (String text : split(property(key))) {
      String[] fields = text.split(":", 5);
      check(fields.length == 5, "tables of five fields in " + key + ", found '" + text + "'");
      int offset = Integer.parseInt(fields[1]);
      int count = Integer.parseInt(fields[2]);
      int width = Integer.parseInt(fields[3]);
      boolean fits = bytes > 0 ? width >= 0 : width == 4 || width == 16;
      check(fits && count >= 1 && count <= rows + 1, "a table in " + key + ", found " + text);
      long length = (long) count * (bytes > 0 ? bytes : width);
      file.checkRange(PLACE, offset, length);
      int crc = Integer.parseUnsignedInt(fields[4], 16);
      tables.put(Integer.valueOf(fields[0]), new Table(offset, count, (int) length, width, crc));
    }
    return tables;
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

  /** The type of a column, of a later version an unknown one, and its unit. */
  private record Typed(Optional<ColumnType> type, String unit) {}

  /** By id; segments that were sealed before there was such a list have none. */
  private Map<Integer, Typed> parseTypes() {
    Map<Integer, Typed> types = new HashMap<>();
    for (String text :
        split(Objects.requireNonNullElse(properties.get(SegmentFormat.KEY_TYPES), ""))) {
      String[] fields = text.split(":", 3);
      check(fields.length == 3, "types 'id:type:unit', found '" + text + "'");
      types.put(
          Integer.valueOf(fields[0]),
          new Typed(ColumnType.ofCode(Integer.parseInt(fields[1])), fields[2]));
    }
    return types;
  }

  /** Null if this process cannot have the column. */
  private static @Nullable FlowColumn column(SchemaElement element, @Nullable Typed typed) {
    int id = element.getField_id();
    if (typed == null) {
      return FlowColumn.byId(id);
    }
    return typed
        .type()
        .flatMap(type -> FlowColumn.found(id, element.getName(), type, typed.unit()))
        .orElse(null);
  }

  private static String[] split(String list) {
    return list.isEmpty() ? new String[0] : list.split(",");
  }

  private Entry entry(
      FlowColumn column,
      ColumnChunk chunk,
      int crc,
      @Nullable Table side,
      @Nullable Table blocks,
      @Nullable Table pages) {
    check(chunk.isSetMeta_data(), "metadata of column " + column.sqlName());
    ColumnMetaData metadata = chunk.getMeta_data();
    boolean dictionary = metadata.isSetDictionary_page_offset();
    long offset =
        dictionary ? metadata.getDictionary_page_offset() : metadata.getData_page_offset();
    file.checkRange(PLACE, offset, metadata.getTotal_compressed_size());
    SegmentCodec codec = SegmentCodec.of(metadata.getCodec());
    boolean isNarrow = narrow && column.type() == ColumnType.UINT32;
    Type physical = isNarrow ? Type.INT32 : SegmentFormat.physicalType(column.type());
    int width = isNarrow ? Integer.BYTES : SegmentFormat.width(column.type());
    if (codec == null
        || (codec != SegmentCodec.NONE && pages == null)
        || metadata.getType() != physical
        || metadata.getNum_values() != rows
        || !metadata.isSetStatistics()) {
      throw unexpected(
          String.format(
              "column %s as %s of %s rows, uncompressed or in pages of a known codec",
              column.sqlName(), physical, rows));
    }
    Encoding encoding = encoding(metadata, column.type());
    check(
        dictionary == (encoding == Encoding.RLE_DICTIONARY)
            && (dictionary || column.type().isLong()),
        "a dictionary of column " + column.sqlName());
    check(column.type().isLong() == (side == null), "side tables of addresses and texts only");
    if (pages != null) {
      checkPages(column, pages, dictionary);
    }
    Statistics statistics = metadata.getStatistics();
    long nulls = statistics.getNull_count();
    check(nulls >= 0 && nulls < rows, "fewer nulls than rows in column " + column.sqlName());
    long min = 0;
    long max = 0;
    if (column.type().isLong()) {
      int bytes = column.type() == ColumnType.BOOLEAN ? 1 : width;
      min = number(bytes, statistics.getMin_value());
      max = number(bytes, statistics.getMax_value());
    }
    return new Entry(
        column,
        width,
        (int) offset,
        (int) metadata.getTotal_compressed_size(),
        metadata.getTotal_uncompressed_size(),
        crc,
        codec,
        encoding,
        (int) nulls,
        min,
        max,
        side,
        blocks,
        pages);
  }

  private Encoding encoding(ColumnMetaData metadata, ColumnType type) {
    for (Encoding encoding :
        List.of(
            Encoding.RLE_DICTIONARY, Encoding.DELTA_BINARY_PACKED, Encoding.BYTE_STREAM_SPLIT)) {
      if (metadata.getEncodings().contains(encoding)) {
        check(
            encoding == Encoding.RLE_DICTIONARY || SegmentFormat.width(type) > 0,
            "numbers with the encoding " + encoding);
        return encoding;
      }
    }
    return Encoding.PLAIN;
  }

  private void checkPages(FlowColumn column, Table pages, boolean dictionary) {
    int rowsPerPage = pages.width;
    check(
        rowsPerPage >= SegmentFormat.MIN_PAGE_ROWS && Integer.bitCount(rowsPerPage) == 1,
        "pages of a power of two of rows in column " + column.sqlName() + ", found " + rowsPerPage);
    int expected = (rows - 1) / rowsPerPage + 1 + (dictionary ? 1 : 0);
    check(
        pages.entries == expected,
        expected + " pages of column " + column.sqlName() + ", found " + pages.entries);
  }

  private long number(int width, byte[] plain) {
    check(plain != null && plain.length == width, "statistics of " + width + " bytes");
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = (value << 8) | (plain[i] & 0xFF);
    }
    return value;
  }

  private String property(String key) {
    String value = properties.get(key);
    if (value == null) {
      throw unexpected(key);
    }
    return value;
  }

  private void check(boolean holds, String expected) {
    if (!holds) {
      throw unexpected(expected);
    }
  }

  private SegmentCorruptException unexpected(String expected) {
    return file.corrupt(PLACE, "expected " + expected);
  }
}
