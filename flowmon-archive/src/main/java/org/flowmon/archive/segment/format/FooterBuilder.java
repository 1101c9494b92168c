package org.flowmon.archive.segment.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.SortingColumn;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;
import org.jspecify.annotations.Nullable;

/** Collects the columns' metadata and encodes the end of a segment file; used for one segment. */
public final class FooterBuilder {
  private record Chunk(
      FlowColumn column,
      ColumnMetaData metadata,
      List<PageLocation> pages,
      @Nullable ColumnIndex index,
      int crc32c) {}

  private record Table(
      String key, FlowColumn column, long offset, int entries, int width, int crc32c) {}

  private final int rows;
  private final int clamped;
  private final List<Chunk> chunks = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<KeyValue> properties = new ArrayList<>();

  /** {@code clamped} rows have a time key that is not their known {@code end_time}. */
  public FooterBuilder(String id, int rows, int clamped, SegmentOptions options) {
    this.rows = rows;
    this.clamped = clamped;
    property(SegmentFormat.KEY_FORMAT, SegmentFormat.VERSION);
    property(SegmentFormat.KEY_SCHEMA, SegmentFormat.SCHEMA_VERSION);
    property(SegmentFormat.KEY_SEGMENT, id);
    property(SegmentFormat.KEY_CLAMPED, Integer.toString(clamped));
    property(SegmentFormat.KEY_OPTIONS, options.toString());
  }

  public void property(String key, String value) {
    KeyValue entry = new KeyValue(key);
    entry.setValue(value);
    properties.add(entry);
  }

  /** Adds a column; {@code index} is null if the pages' bounds are unknown. */
  public void chunk(
      FlowColumn column,
      ColumnMetaData metadata,
      List<PageLocation> pages,
      @Nullable ColumnIndex index,
      int crc32c) {
    chunks.add(new Chunk(column, metadata, List.copyOf(pages), index, crc32c));
  }

  /** Adds a table at an offset from the first one; {@code key} gives {@code width} its meaning. */
  public void table(
      String key, FlowColumn column, long offset, int entries, int width, int crc32c) {
    tables.add(new Table(key, column, offset, entries, width, crc32c));
  }

  /** Moves the offsets of tables, which were relative to the first one, to {@code fileOffset}. */
  public void moveTables(long fileOffset) {
    tables.replaceAll(
        t -> new Table(t.key, t.column, t.offset + fileOffset, t.entries, t.width, t.crc32c));
  }

  /** Writes page index and footer into {@code out}; returns the start of the footer in it. */
  public int write(ByteSink out, long fileOffset) throws IOException {
    List<ColumnChunk> columns = new ArrayList<>();
    for (Chunk chunk : chunks) {
      columns.add(columnChunk(chunk));
    }
    writePageIndex(columns, out, fileOffset);
    int pageIndexCrc32c = Crc32c.of(out);
    property(
        SegmentFormat.KEY_COLUMNS,
        chunks.stream().map(c -> Integer.toString(c.column.id())).collect(Collectors.joining(",")));
    property(
        SegmentFormat.KEY_TYPES,
        chunks.stream()
            .map(c -> c.column.id() + ":" + c.column.type().code() + ":" + c.column.unit())
            .collect(Collectors.joining(",")));
    property(
        SegmentFormat.KEY_CHUNKS,
        chunks.stream()
            .map(c -> c.column.id() + ":" + Crc32c.hex(c.crc32c))
            .collect(Collectors.joining(",")));
    for (String key :
        List.of(SegmentFormat.KEY_SIDES, SegmentFormat.KEY_BLOCKS, SegmentFormat.KEY_PAGES)) {
      property(
          key,
          tables.stream()
              .filter(t -> t.key.equals(key))
              .map(FooterBuilder::text)
              .collect(Collectors.joining(",")));
    }
    property(
        SegmentFormat.KEY_PAGE_INDEX,
        fileOffset + ":" + out.size() + ":" + Crc32c.hex(pageIndexCrc32c));
    int start = out.size();
    Util.writeFileMetaData(fileMetaData(columns), out);
    out.putInt(out.size() - start);
    out.write(SegmentFormat.MAGIC, 0, SegmentFormat.MAGIC.length);
    return start;
  }

  private static String text(Table table) {
    return String.join(
        ":",
        Integer.toString(table.column.id()),
        Long.toString(table.offset),
        Integer.toString(table.entries),
        Integer.toString(table.width),
        Crc32c.hex(table.crc32c));
  }

  private static ColumnChunk columnChunk(Chunk chunk) {
    ColumnMetaData metadata = chunk.metadata;
    long start =
        metadata.isSetDictionary_page_offset()
            ? metadata.getDictionary_page_offset()
            : metadata.getData_page_offset();
    ColumnChunk column = new ColumnChunk(start);
    column.setMeta_data(metadata);
    return column;
  }

  private void writePageIndex(List<ColumnChunk> columns, ByteSink out, long fileOffset)
      throws IOException {
    for (int i = 0; i < columns.size(); i++) {
      ColumnIndex index = chunks.get(i).index;
      if (index == null) {
        continue;
      }
      int start = out.size();
      Util.writeColumnIndex(index, out);
      columns.get(i).setColumn_index_offset(fileOffset + start);
      columns.get(i).setColumn_index_length(out.size() - start);
    }
    for (int i = 0; i < columns.size(); i++) {
      int start = out.size();
      Util.writeOffsetIndex(new OffsetIndex(chunks.get(i).pages), out);
      columns.get(i).setOffset_index_offset(fileOffset + start);
      columns.get(i).setOffset_index_length(out.size() - start);
    }
  }

  private FileMetaData fileMetaData(List<ColumnChunk> columns) {
    List<SchemaElement> schema = new ArrayList<>();
    List<ColumnOrder> orders = new ArrayList<>();
    List<SortingColumn> sorting = new ArrayList<>();
    schema.add(SegmentFormat.root(chunks.size()));
    long bytes = 0;
    long stored = 0;
    for (int i = 0; i < chunks.size(); i++) {
      Chunk chunk = chunks.get(i);
      schema.add(SegmentFormat.schemaElement(chunk.column));
      orders.add(ColumnOrder.TYPE_ORDER(new TypeDefinedOrder()));
      bytes += chunk.metadata.getTotal_uncompressed_size();
      stored += chunk.metadata.getTotal_compressed_size();
      if (chunk.column == FlowColumn.END_TIME
          && clamped == 0
          && chunk.metadata.getStatistics().getNull_count() == 0) {
        sorting.add(new SortingColumn(i, false, false));
      }
    }
    RowGroup group = new RowGroup(columns, bytes, rows);
    group.setTotal_compressed_size(stored);
    group.setFile_offset(SegmentFormat.MAGIC.length);
    group.setOrdinal((short) 0);
    if (!sorting.isEmpty()) {
      group.setSorting_columns(sorting);
    }
    FileMetaData metadata = new FileMetaData(1, schema, rows, List.of(group));
    metadata.setCreated_by(SegmentFormat.CREATED_BY);
    metadata.setColumn_orders(orders);
    metadata.setKey_value_metadata(properties);
    return metadata;
  }
}
