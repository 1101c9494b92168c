package org.flowmon.archive.segment.format;

import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * flowmon's own parts of a segment file: names of metadata and the mapping of flow types to Parquet
 * types. {@code docs/format/segment.md} is the specification.
 *
 * <pre>
 *   "PAR1" | chunk of column 1 | chunk of column 2 | … | tables | page index | footer | u32 length | "PAR1"
 *
 *   chunk:  [ page header | dictionary, PLAIN, ascending ]
 *           page header | levels: u32 length, one run | values                     (once, or page after page)
 *   values: width u8, one bit-packed run of ids | PLAIN | DELTA_BINARY_PACKED | BYTE_STREAM_SPLIT
 * </pre>
 */
public final class SegmentFormat {
  static final byte[] MAGIC = {'P', 'A', 'R', '1'};
  static final String VERSION = "3";

  /** Read, but no longer written: numbers of 8 to 32 bits were INT32, unsigned. */
  static final String VERSION_2 = "2";

  /** Read, but no longer written: version 2 without deltas and compressed pages. */
  static final String VERSION_1 = "1";

  static final String SCHEMA_VERSION = "1";
  static final String CREATED_BY = "flowmon segment version " + VERSION;

  static final String KEY_FORMAT = "flowmon.format";
  static final String KEY_SCHEMA = "flowmon.schema";
  static final String KEY_SEGMENT = "flowmon.segment";
  static final String KEY_COLUMNS = "flowmon.columns";
  static final String KEY_TYPES = "flowmon.types";
  static final String KEY_CHUNKS = "flowmon.chunks";
  public static final String KEY_SIDES = "flowmon.sides";
  public static final String KEY_BLOCKS = "flowmon.blocks";
  public static final String KEY_PAGES = "flowmon.pages";
  static final String KEY_OPTIONS = "flowmon.options";
  static final String KEY_PAGE_INDEX = "flowmon.page_index";
  public static final String KEY_RANGE = "flowmon.range.";
  static final String KEY_CLAMPED = "flowmon.clamped";
  public static final String KEY_PROVENANCE = "flowmon.provenance.";

  public static final int MAX_STATISTICS_TEXT = 64;

  /** Minimum rows of a page, but for the last. */
  public static final int MIN_PAGE_ROWS = 1024;

  /** Maximum rows of a page: so many are decoded to read one. */
  public static final int MAX_PAGE_ROWS = 1 << 21;

  /** Larger dictionaries (decoded bytes) are not compressed: one id would need a whole one. */
  public static final int MAX_DECODED_DICTIONARY = 1 << 20;

  private SegmentFormat() {}

  public static Type physicalType(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> Type.BOOLEAN;
      case UINT8, UINT16 -> Type.INT32;
      case UINT32, COUNT, NUMBER, TIMESTAMP, DURATION -> Type.INT64;
      case ADDRESS, TEXT -> Type.BYTE_ARRAY;
    };
  }

  /** Bytes of a PLAIN value; 0 for booleans and byte arrays. */
  public static int width(ColumnType type) {
    return switch (physicalType(type)) {
      case INT32 -> 4;
      case INT64 -> 8;
      default -> 0;
    };
  }

  public static int idWidth(int size) {
    return 32 - Integer.numberOfLeadingZeros(size - 1);
  }

  public static SchemaElement root(int columns) {
    SchemaElement root = new SchemaElement("flows");
    root.setNum_children(columns);
    return root;
  }

  static SchemaElement schemaElement(FlowColumn column) {
    return schemaElement(column.sqlName(), column.type()).setField_id(column.id());
  }

  public static SchemaElement schemaElement(String name, ColumnType type) {
    SchemaElement element = new SchemaElement(name);
    element.setType(physicalType(type));
    element.setRepetition_type(FieldRepetitionType.OPTIONAL);
    LogicalType logical = logicalType(type);
    if (logical != null) {
      element.setLogicalType(logical);
      element.setConverted_type(convertedType(type)); // for readers from before logical types
    }
    return element;
  }

  private static @Nullable LogicalType logicalType(ColumnType type) {
    return switch (type) {
      case TIMESTAMP ->
          LogicalType.TIMESTAMP(new TimestampType(true, TimeUnit.MICROS(new MicroSeconds())));
      case ADDRESS, TEXT -> LogicalType.STRING(new StringType());
      // Engines without unsigned types refuse INTEGER(…, unsigned), or read it as negative.
      case BOOLEAN, UINT8, UINT16, UINT32, COUNT, NUMBER, DURATION -> null;
    };
  }

  private static ConvertedType convertedType(ColumnType type) {
    return switch (type) {
      case TIMESTAMP -> ConvertedType.TIMESTAMP_MICROS;
      case ADDRESS, TEXT -> ConvertedType.UTF8;
      case BOOLEAN, UINT8, UINT16, UINT32, COUNT, NUMBER, DURATION ->
          throw new IllegalArgumentException(type + " has no converted type");
    };
  }

  /** The time columns whose ranges a footer names. */
  public static final List<FlowColumn> RANGES =
      List.of(FlowColumn.START_TIME, FlowColumn.END_TIME, FlowColumn.ARRIVAL);

  public static byte[] magic() {
    return MAGIC.clone();
  }
}
