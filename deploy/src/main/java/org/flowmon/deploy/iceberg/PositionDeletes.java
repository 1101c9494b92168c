package org.flowmon.deploy.iceberg;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.bytes.ByteSink;

/**
 * Iceberg's position deletes of a file's first rows, which have expired: a Parquet file with the
 * columns {@code file_path}, one dictionary entry, and {@code pos}, deltas. 20 bits for 128 rows.
 */
final class PositionDeletes {
  private static final int PATH = MetadataColumns.DELETE_FILE_PATH.fieldId();
  private static final int POSITION = MetadataColumns.DELETE_FILE_POS.fieldId();

  private final String path;
  private final int rows;
  private final ByteSink out = new ByteSink();

  private PositionDeletes(String path, int rows) {
    this.path = path;
    this.rows = rows;
  }

  /** The bytes of a file that deletes the first {@code rows} rows of the file at {@code path}. */
  static byte[] bytes(String path, int rows) throws IOException {
    return new PositionDeletes(path, rows).write();
  }

  /** Describes such a file, of {@code bytes} bytes at {@code location}. */
  static DeleteFile describe(String location, int bytes, String path, int rows) {
    ByteBuffer name = ByteBuffer.wrap(path.getBytes(StandardCharsets.UTF_8));
    long count = rows;
    return FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
        .ofPositionDeletes()
        .withPath(location)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(bytes)
        .withReferencedDataFile(path)
        .withMetrics(
            new Metrics(
                count,
                Map.of(),
                Map.of(PATH, count, POSITION, count),
                Map.of(PATH, 0L, POSITION, 0L),
                Map.of(),
                Map.of(PATH, name, POSITION, plain(0)),
                Map.of(PATH, name, POSITION, plain(count - 1))))
        .build();
  }

  private static ByteBuffer plain(long value) {
    return ByteBuffer.wrap(plainBytes(value));
  }

  private static byte[] plainBytes(long value) {
    ByteSink bytes = new ByteSink();
    bytes.putLong(value);
    return Arrays.copyOf(bytes.array(), bytes.size());
  }

  private byte[] write() throws IOException {
    byte[] magic = SegmentFormat.magic();
    out.write(magic, 0, magic.length);
    List<ColumnChunk> chunks = List.of(paths(), positions());
    long stored = out.size() - magic.length;
    RowGroup group = new RowGroup(chunks, stored, rows);
    group.setTotal_compressed_size(stored);
    group.setFile_offset(magic.length);
    List<SchemaElement> schema =
        List.of(
            new SchemaElement("table").setNum_children(2),
            required(MetadataColumns.DELETE_FILE_PATH.name(), Type.BYTE_ARRAY, PATH)
                .setConverted_type(ConvertedType.UTF8)
                .setLogicalType(LogicalType.STRING(new StringType())),
            required(MetadataColumns.DELETE_FILE_POS.name(), Type.INT64, POSITION));
    FileMetaData metadata = new FileMetaData(1, schema, rows, List.of(group));
    metadata.setCreated_by("flowmon position deletes");
    int start = out.size();
    Util.writeFileMetaData(metadata, out);
    out.putInt(out.size() - start);
    out.write(magic, 0, magic.length);
    return Arrays.copyOf(out.array(), out.size());
  }

  private static SchemaElement required(String name, Type type, int id) {
    return new SchemaElement(name)
        .setType(type)
        .setRepetition_type(FieldRepetitionType.REQUIRED)
        .setField_id(id);
  }

  private ColumnChunk paths() throws IOException {
    byte[] name = path.getBytes(StandardCharsets.UTF_8);
    int start = out.size();
    ByteSink page = new ByteSink();
    page.putInt(name.length);
    page.write(name, 0, name.length);
    PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, page.size(), page.size());
    header.setDictionary_page_header(new DictionaryPageHeader(1, Encoding.PLAIN));
    put(header, page);
    int data = out.size();
    page.clear();
    page.write(0); // ids of no bits: one run
    page.putVarint(rows << 1);
    put(dataHeader(Encoding.RLE_DICTIONARY, page), page);
    ColumnMetaData metadata =
        chunk(MetadataColumns.DELETE_FILE_PATH.name(), Type.BYTE_ARRAY, start, data);
    metadata.setEncodings(List.of(Encoding.PLAIN, Encoding.RLE_DICTIONARY));
    metadata.setDictionary_page_offset(start);
    metadata.setStatistics(statistics(name, name));
    return new ColumnChunk(start).setMeta_data(metadata);
  }

  private ColumnChunk positions() throws IOException {
    int start = out.size();
    long[] positions = new long[rows];
    Arrays.setAll(positions, i -> i);
    ByteSink page = new ByteSink();
    new DeltaEncoder().encode(positions, 0, rows, false, page, null);
    put(dataHeader(Encoding.DELTA_BINARY_PACKED, page), page);
    ColumnMetaData metadata =
        chunk(MetadataColumns.DELETE_FILE_POS.name(), Type.INT64, start, start);
    metadata.setEncodings(List.of(Encoding.DELTA_BINARY_PACKED));
    metadata.setStatistics(statistics(plainBytes(0), plainBytes(rows - 1L)));
    return new ColumnChunk(start).setMeta_data(metadata);
  }

  private PageHeader dataHeader(Encoding encoding, ByteSink page) {
    PageHeader header = new PageHeader(PageType.DATA_PAGE, page.size(), page.size());
    header.setData_page_header(new DataPageHeader(rows, encoding, Encoding.RLE, Encoding.RLE));
    return header;
  }

  private void put(PageHeader header, ByteSink page) throws IOException {
    Util.writePageHeader(header, out);
    out.write(page.array(), 0, page.size());
  }

  private ColumnMetaData chunk(String name, Type type, int start, int data) {
    return new ColumnMetaData(
        type,
        List.of(),
        List.of(name),
        CompressionCodec.UNCOMPRESSED,
        rows,
        out.size() - start,
        out.size() - start,
        data);
  }

  private static Statistics statistics(byte[] smallest, byte[] largest) {
    return new Statistics().setNull_count(0).setMin_value(smallest).setMax_value(largest);
  }
}
