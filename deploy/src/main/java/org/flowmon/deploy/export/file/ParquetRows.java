package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.SegmentCodec;
import org.flowmon.archive.segment.format.PageCodec;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.memory.HeapBudget;

/**
 * A Parquet file of plain pages compressed by zstd, with a row group for each {@link #GROUP_ROWS}
 * rows, so that memory is bounded. Columns have the names, types and field ids of segments ({@code
 * docs/format/segment.md}), but no dictionaries and no index.
 */
final class ParquetRows implements RowFormat {
  static final int GROUP_ROWS = 1 << 17;

  private static final SegmentCodec CODEC = SegmentCodec.ZSTD;
  private static final long MAX_GROUP_BYTES = HeapBudget.Part.ROW_GROUP.bytes();

  private final List<ParquetColumn> columns;
  private final OutputStream out;
  private final List<RowGroup> groups = new ArrayList<>();
  private final PageCodec.Compressor compressor =
      new PageCodec.Compressor(CODEC, CODEC.defaultLevel());
  private final ByteSink page = new ByteSink();
  private final ByteSink packed = new ByteSink();
  private final ByteSink part = new ByteSink();
  private long position;
  private int groupRows;
  private long allRows;

  ParquetRows(List<ExportColumn> columns, OutputStream out) throws IOException {
    this.columns = columns.stream().map(ParquetColumn::new).toList();
    this.out = out;
    part.write(SegmentFormat.magic());
    writePart();
  }

  private void writePart() throws IOException {
    out.write(part.array(), 0, part.size());
    position += part.size();
    part.clear();
  }

  @Override
  public void write(ExportRows block) throws IOException {
    long bytes = 0;
    for (int c = 0; c < columns.size(); c++) {
      columns.get(c).add(block, c);
      bytes += columns.get(c).bytes();
    }
    groupRows += block.rows();
    if (groupRows >= GROUP_ROWS || bytes > MAX_GROUP_BYTES) {
      writeGroup();
    }
  }

  private void writeGroup() throws IOException {
    List<ColumnChunk> chunks = new ArrayList<>();
    long start = position;
    long plain = 0;
    for (ParquetColumn column : columns) {
      ColumnMetaData metadata = writeColumn(column);
      ColumnChunk chunk = new ColumnChunk(metadata.getData_page_offset());
      chunk.setMeta_data(metadata);
      chunks.add(chunk);
      plain += metadata.getTotal_uncompressed_size();
      column.clear();
    }
    RowGroup group = new RowGroup(chunks, plain, groupRows);
    group.setTotal_compressed_size(position - start);
    group.setFile_offset(start);
    group.setOrdinal((short) groups.size());
    groups.add(group);
    allRows += groupRows;
    groupRows = 0;
  }

  private ColumnMetaData writeColumn(ParquetColumn column) throws IOException {
    page.clear();
    column.writePage(page);
    packed.clear();
    compressor.compress(page.array(), page.size(), packed);
    PageHeader header = new PageHeader(PageType.DATA_PAGE, page.size(), packed.size());
    header.setData_page_header(
        new DataPageHeader(groupRows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
    Util.writePageHeader(header, part);
    long plain = (long) part.size() + page.size();
    part.write(packed.array(), 0, packed.size());
    long start = position;
    writePart();
    ColumnMetaData metadata =
        new ColumnMetaData(
            column.element().getType(),
            List.of(Encoding.PLAIN, Encoding.RLE),
            List.of(column.element().getName()),
            CODEC.parquet(),
            groupRows,
            plain,
            position - start,
            start);
    return metadata.setStatistics(new Statistics().setNull_count(column.nulls()));
  }

  @Override
  public void end() throws IOException {
    if (groupRows > 0) {
      writeGroup();
    }
    List<SchemaElement> schema = new ArrayList<>();
    schema.add(SegmentFormat.root(columns.size()));
    columns.forEach(column -> schema.add(column.element()));
    FileMetaData metadata = new FileMetaData(1, schema, allRows, groups);
    metadata.setCreated_by("flowmon export");
    Util.writeFileMetaData(metadata, part);
    part.putInt(part.size());
    part.write(SegmentFormat.magic());
    writePart();
  }

  @Override
  public void close() {
    compressor.close();
  }
}
