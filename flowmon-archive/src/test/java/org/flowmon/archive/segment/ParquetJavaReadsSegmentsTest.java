package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.io.api.Binary;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parquet's reference reader, with page checksums verified, sees the sealed values in a segment.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "lookup",
      "compact",
      "compact codec=lz4 page=4096 split=true",
      "compact codec=none page=4096 split=true"
    })
class ParquetJavaReadsSegmentsTest {
  @Parameter String options;

  @TempDir Path directory;

  @ParameterizedTest(name = "{0} rows, seed {1}, IPv6 {2}")
  @CsvSource({"1, 1, true", "9, 5, true", "1000, 9, false", "5000, 12, true", "5000, 13, false"})
  void everyValueIsTheSameInTheSameOrder(int rows, long seed, boolean ipv6) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, ipv6).batches(rows);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    List<Object[]> oracle = RowsOracle.sorted(batches);
    try (ParquetReader<Group> reader = reader(sealed, FilterCompat.NOOP)) {
      for (int row = 0; row < rows; row++) {
        Group group = reader.read();
        for (FlowColumn column : FlowColumn.all()) {
          Object expected = oracle.get(row)[column.ordinal()];
          assertEquals(
              expected, value(group, column), column.sqlName() + ", row " + row + ", seed " + seed);
        }
      }
      assertNull(reader.read());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @CsvSource({"21", "22"})
  void filtersByStatisticsAndPageIndexLoseNoRow(long seed) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, true).batches(2000);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    List<Object[]> oracle = RowsOracle.sorted(batches);
    for (FlowColumn column :
        List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR, FlowColumn.NEXT_HOP, FlowColumn.UID)) {
      List<Object> values =
          oracle.stream().map(r -> r[column.ordinal()]).filter(Objects::nonNull).toList();
      for (int i = 0; i < values.size(); i += 1 + values.size() / 4) {
        Object value = values.get(i);
        var filter =
            FilterCompat.get(
                FilterApi.eq(
                    FilterApi.binaryColumn(column.sqlName()), Binary.fromString(value.toString())));
        assertEquals(
            values.stream().filter(value::equals).count(),
            count(sealed, filter),
            column + " = " + value + ", seed " + seed);
      }
    }
  }

  private ParquetReader<Group> reader(SealedSegment sealed, FilterCompat.Filter filter)
      throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.setBoolean(ParquetInputFormat.PAGE_VERIFY_CHECKSUM_ENABLED, true);
    var path = new org.apache.hadoop.fs.Path(directory.resolve(sealed.fileName()).toUri());
    return ParquetReader.builder(new GroupReadSupport(), path)
        .withConf(configuration)
        .withFilter(filter)
        .build();
  }

  private long count(SealedSegment sealed, FilterCompat.Filter filter) throws IOException {
    List<Group> found = new ArrayList<>();
    try (ParquetReader<Group> reader = reader(sealed, filter)) {
      for (Group group = reader.read(); group != null; group = reader.read()) {
        found.add(group);
      }
    }
    return found.size();
  }

  /** A value in the form of the oracle. */
  private static Object value(Group group, FlowColumn column) {
    String name = column.sqlName();
    if (!group.getType().containsField(name) || group.getFieldRepetitionCount(name) == 0) {
      return null;
    }
    return switch (column.type()) {
      case BOOLEAN -> group.getBoolean(name, 0) ? 1L : 0L;
      case UINT8, UINT16 -> (long) group.getInteger(name, 0);
      case UINT32, COUNT, NUMBER, TIMESTAMP, DURATION -> group.getLong(name, 0);
      case ADDRESS -> org.flowmon.flow.IpAddress.parse(group.getString(name, 0));
      case TEXT -> group.getString(name, 0);
    };
  }
}
