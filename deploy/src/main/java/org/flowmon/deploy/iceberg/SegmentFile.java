package org.flowmon.deploy.iceberg;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;

/**
 * A segment's Parquet file as an Iceberg data file, with the statistics of its footer.
 *
 * @param isOld whether it has numbers of 8 to 32 bits as INT32, unsigned, which Iceberg's readers
 *     in Java refuse, or read as negative from 2^31 on
 */
record SegmentFile(DataFile file, boolean isOld) {
  private static final int LONG_BYTES = 8;
  private static final List<ConvertedType> UNSIGNED =
      List.of(ConvertedType.UINT_8, ConvertedType.UINT_16, ConvertedType.UINT_32);

  static SegmentFile of(ArchiveSnapshot snapshot, SealedSegment segment) throws IOException {
    FileMetaData footer = snapshot.footer(segment);
    Statistic statistic = new Statistic();
    List<SchemaElement> schema = footer.getSchema();
    for (int i = 1; i < schema.size(); i++) {
      FlowColumn column = FlowColumn.byId(schema.get(i).getField_id());
      if (column != null) {
        SchemaElement element = schema.get(i);
        statistic.isOld |=
            element.isSetConverted_type() && UNSIGNED.contains(element.getConverted_type());
        statistic.add(column, footer.getRow_groups().get(0).getColumns().get(i - 1).getMeta_data());
      }
    }
    DataFile file =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath(snapshot.file(segment))
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(segment.segmentFile().length())
            .withRecordCount(segment.rows())
            .withSplitOffsets(List.of(footer.getRow_groups().get(0).getFile_offset()))
            .withMetrics(statistic.metrics(segment.rows()))
            .build();
    return new SegmentFile(file, statistic.isOld);
  }

  /** Facts of the columns by field id. Iceberg's single values have the bytes of Parquet's. */
  private static final class Statistic {
    private final Map<Integer, Long> sizes = new HashMap<>();
    private final Map<Integer, Long> values = new HashMap<>();
    private final Map<Integer, Long> nulls = new HashMap<>();
    private final Map<Integer, ByteBuffer> lower = new HashMap<>();
    private final Map<Integer, ByteBuffer> upper = new HashMap<>();
    private boolean isOld;

    void add(FlowColumn column, ColumnMetaData chunk) {
      Integer id = column.id();
      Statistics statistics = chunk.getStatistics();
      sizes.put(id, chunk.getTotal_compressed_size());
      values.put(id, chunk.getNum_values());
      nulls.put(id, statistics.getNull_count());
      boolean isNarrow = column.type() == ColumnType.UINT32 && chunk.getType() == Type.INT32;
      if (statistics.isSetMin_value() && statistics.isSetMax_value()) {
        lower.put(id, bound(statistics.getMin_value(), isNarrow));
        upper.put(id, bound(statistics.getMax_value(), isNarrow));
      }
    }

    private static ByteBuffer bound(byte[] plain, boolean isNarrow) {
      return ByteBuffer.wrap(isNarrow ? Arrays.copyOf(plain, LONG_BYTES) : plain);
    }

    Metrics metrics(long rows) {
      return new Metrics(rows, sizes, values, nulls, Map.of(), lower, upper);
    }
  }
}
