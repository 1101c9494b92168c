package org.flowmon.deploy.export.file;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;

/**
 * A Parquet file of plain pages compressed by zstd, with a row group for each {@link #GROUP_ROWS}
 * rows, so that memory is bounded. It is not a segment: it has no dictionaries and no index.
 * Columns have the names, types and field ids of segments ({@code docs/format/segment.md}).
 */
final class ParquetRows implements RowFormat {
  /** Rows of a row group. */
  static final int GROUP_ROWS = 1 << 17;

  private static final byte[] MAGIC = {'P', 'A', 'R', '1'};
  private static final int LEVEL = 1;
  private static final int MAX_GROUP_BYTES = 256 << 20;

  private final List<ParquetColumn> columns = new ArrayList<>();
  private final List<RowGroup> groups = new ArrayList<>();
  private long position;
  private int groupRows;
  private long allRows;

  @Override
  public void begin(List<ExportColumn> all, OutputStream out) throws IOException {
    all.forEach(column -> columns.add(new ParquetColumn(column)));
    write(out, MAGIC, MAGIC.length);
  }

  private void write(OutputStream out, byte[] bytes, int length) throws IOException {
    out.write(bytes, 0, length);
    position += length;
  }

  @Override
  public void write(ExportRows block, OutputStream out) throws IOException {
    long bytes = 0;
    for (int c = 0; c < columns.size(); c++) {
      columns.get(c).add(block, c);
      bytes += columns.get(c).bytes();
    }
    groupRows += block.rows();
    if (groupRows >= GROUP_ROWS || bytes > MAX_GROUP_BYTES) {
      writeGroup(out);
    }
  }

  private void writeGroup(OutputStream out) throws IOException {
    List<ColumnChunk> chunks = new ArrayList<>();
    long start = position;
    long plain = 0;
    for (ParquetColumn column : columns) {
      ColumnMetaData metadata = writeColumn(column, out);
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

  private ColumnMetaData writeColumn(ParquetColumn column, OutputStream out) throws IOException {
    byte[] page = column.page(groupRows);
    byte[] packed = Zstd.compress(page, LEVEL);
    PageHeader header = new PageHeader(PageType.DATA_PAGE, page.length, packed.length);
    header.setData_page_header(
        new DataPageHeader(groupRows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
    ByteArrayOutputStream headerBytes = new ByteArrayOutputStream();
    Util.writePageHeader(header, headerBytes);
    long start = position;
    write(out, headerBytes.toByteArray(), headerBytes.size());
    write(out, packed, packed.length);
    ColumnMetaData metadata =
        new ColumnMetaData(
            column.physicalType(),
            List.of(Encoding.PLAIN, Encoding.RLE),
            List.of(column.name()),
            CompressionCodec.ZSTD,
            groupRows,
            (long) headerBytes.size() + page.length,
            position - start,
            start);
    Statistics statistics = new Statistics();
    statistics.setNull_count(column.nulls());
    metadata.setStatistics(statistics);
    return metadata;
  }

  @Override
  public void end(OutputStream out) throws IOException {
    if (groupRows > 0) {
      writeGroup(out);
    }
    List<SchemaElement> schema = new ArrayList<>();
    SchemaElement root = new SchemaElement("flows");
    root.setNum_children(columns.size());
    schema.add(root);
    columns.forEach(column -> schema.add(column.schemaElement()));
    FileMetaData metadata = new FileMetaData(1, schema, allRows, groups);
    metadata.setCreated_by("flowmon export");
    ByteArrayOutputStream footer = new ByteArrayOutputStream();
    Util.writeFileMetaData(metadata, footer);
    int length = footer.size();
    for (int shift = 0; shift < 32; shift += 8) {
      footer.write(length >>> shift);
    }
    footer.writeBytes(MAGIC);
    write(out, footer.toByteArray(), footer.size());
  }
}
