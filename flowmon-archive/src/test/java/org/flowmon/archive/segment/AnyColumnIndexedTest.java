package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.segment.reader.SegmentVerifier;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sidecar of every column finds the rows that a scan finds. */
class AnyColumnIndexedTest {
  @TempDir Path directory;

  @ParameterizedTest(name = "{0}, {1} rows, seed {2}")
  @CsvSource({
    "lookup, 1, 31",
    "lookup, 300, 32",
    "compact, 300, 33",
    "lookup, 2500, 34",
    "compact codec=lz4, 2500, 35",
    "lookup, 2500, 36",
    "compact, 2500, 37"
  })
  void everyValueOfEveryColumnIsFound(String options, int rows, long seed) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, true).batches(rows);
    SegmentOptions all = SegmentOptions.parse(options).withIndexed(FlowColumn.all());
    SealedSegment sealed = new SegmentWriter(all).seal(directory, batches, Provenance.NONE);
    assertEquals(List.of(), SegmentVerifier.verify(directory, sealed));
    List<Object[]> oracle = RowsOracle.sorted(batches);
    SplittableRandom random = new SplittableRandom(seed);
    try (SegmentIndex index = sealed.openIndex(directory, true)) {
      for (FlowColumn column : FlowColumn.all()) {
        Object[] values = oracle.stream().map(r -> r[column.ordinal()]).toArray();
        List<Object> distinct = distinct(values);
        assertEquals(!distinct.isEmpty(), index.isIndexed(column), column.sqlName());
        if (distinct.isEmpty()) {
          continue;
        }
        assertEquals(distinct.size(), index.dictionarySize(column), column.sqlName());
        for (int i = 0; i < 40; i++) {
          Object value = distinct.get(random.nextInt(distinct.size()));
          String at = column.sqlName() + " = " + value + ", seed " + seed;
          assertArrayEquals(
              IntStream.range(0, rows).filter(r -> value.equals(values[r])).toArray(),
              lookup(index, column, value).toArray(),
              at);
          if (column.type().isLong()) {
            Object other = distinct.get(random.nextInt(distinct.size()));
            checkRange(index, column, (Long) value, (Long) other, values, at);
          }
        }
        for (int id = 0; id < Math.min(50, distinct.size()); id++) {
          checkId(index, column, id, values);
        }
      }
    }
  }

  private static List<Object> distinct(Object[] values) {
    return Arrays.stream(values).filter(Objects::nonNull).distinct().toList();
  }

  private static RowSet lookup(SegmentIndex index, FlowColumn column, Object value) {
    return switch (column.type()) {
      case ADDRESS -> index.lookup(column, (IpAddress) value);
      case TEXT -> index.lookup(column, (String) value);
      default -> index.lookup(column, (long) (Long) value);
    };
  }

  private static void checkRange(
      SegmentIndex index, FlowColumn column, long low, long high, Object[] values, String at) {
    RowSet found = RowSet.none();
    for (int id = index.lowerBound(column, low);
        id < index.dictionarySize(column) && index.value(column, id) <= high;
        id++) {
      found = found.or(index.rows(column, id));
    }
    assertArrayEquals(
        IntStream.range(0, values.length)
            .filter(r -> values[r] != null && (Long) values[r] >= low && (Long) values[r] <= high)
            .toArray(),
        found.toArray(),
        at + " … " + high);
  }

  /** The value of an id is that of its rows. */
  private static void checkId(SegmentIndex index, FlowColumn column, int id, Object[] values) {
    int[] rows = index.rows(column, id).toArray();
    assertTrue(rows.length > 0);
    Object named =
        switch (column.type()) {
          case ADDRESS -> index.address(column, id);
          case TEXT -> index.text(column, id);
          default -> index.value(column, id);
        };
    for (int row : rows) {
      assertEquals(values[row], named, column.sqlName());
    }
  }
}
