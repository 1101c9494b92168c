package org.flowmon.archive.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan returns the rows of the batches, in order, for any number of threads and segments. */
class FlowScanTest {
  private static final String[] CONDITIONS = {
    null,
    "NOT outgoing",
    "dst_port = 443 AND bytes > 1000",
    "end_time >= TIMESTAMP '"
        + java.time.Instant.ofEpochSecond(Traffic.NOW / 1_000_000 - 3 * 86400)
        + "'",
    "src_addr IN '10.0.0.0/24' OR service IS NULL",
    "protocol = 6 AND protocol = 17",
  };

  @TempDir Path directory;

  /** A row as text of the wanted columns, and its time. */
  private record Row(long time, String text) {}

  private static String text(FlowRows rows, Set<FlowColumn> columns, int row) {
    StringBuilder text = new StringBuilder();
    long[] high = new long[1];
    long[] low = new long[1];
    long[] valid = new long[1];
    for (FlowColumn column : columns) {
      rows.readValidity(column, row, 1, valid);
      if (column.type() == ColumnType.TEXT) {
        text.append(rows.text(column, row));
      } else if (valid[0] == 0) {
        text.append("NULL");
      } else if (column.type() == ColumnType.ADDRESS) {
        rows.readAddresses(column, row, 1, high, low);
        text.append(high[0]).append(':').append(low[0]);
      } else {
        rows.readLongs(column, row, 1, low);
        text.append(low[0]);
      }
      text.append('|');
    }
    return text.toString();
  }

  private static long time(FlowRows rows, int row) {
    long[] value = new long[1];
    rows.readLongs(FlowColumn.ARRIVAL, row, 1, value);
    long arrival = value[0];
    rows.readValidity(FlowColumn.END_TIME, row, 1, value);
    if (value[0] == 0) {
      return arrival;
    }
    rows.readLongs(FlowColumn.END_TIME, row, 1, value);
    return Math.min(value[0], arrival + TimeKey.MAX_AHEAD_MICROS);
  }

  private static List<Row> expected(
      List<FlowBatch> flows, Set<FlowColumn> columns, String condition) {
    Expression where = condition == null ? null : QueryParser.parseCondition(condition);
    CompiledPredicate filter = CompiledPredicate.of(where);
    List<Row> rows = new ArrayList<>();
    int[] selection = new int[1];
    for (FlowBatch batch : flows) {
      for (int r = 0; r < batch.rows(); r++) {
        if (filter.select(batch, r, 1, selection) == 1) {
          rows.add(new Row(time(batch, r), text(batch, columns, r)));
        }
      }
    }
    return rows;
  }

  private static List<Row> read(BlockSource source, Set<FlowColumn> columns) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (FlowBlock block = source.next(); block != null; block = source.next()) {
      assertTrue(block.rows() > 0);
      for (int r = 0; r < block.rows(); r++) {
        rows.add(new Row(block.time(r), text(block, columns, r)));
      }
    }
    assertNull(source.next());
    return rows;
  }

  private static List<Row> sorted(List<Row> rows) {
    List<Row> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparingLong(Row::time).thenComparing(Row::text));
    return sorted;
  }

  private static void assertInOrder(List<Row> rows) {
    for (int i = 1; i < rows.size(); i++) {
      assertTrue(rows.get(i - 1).time() <= rows.get(i).time(), "row " + i);
    }
  }

  private List<FlowBatch> fill(Archive archive, long seed) throws IOException {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(seed, seed % 2 == 0, seed % 3 * 0.1);
    List<FlowBatch> flows = new ArrayList<>();
    for (int s = 0; s < 12; s++) {
      double from = random.nextDouble();
      double to = Math.min(1, from + random.nextDouble() / (1 + random.nextInt(20)));
      List<FlowBatch> batches = traffic.batches(1 + random.nextInt(3000), from, to);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
    return flows;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void givesTheRowsInOrder(long seed) throws IOException {
    Random random = new Random(seed);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = fill(archive, seed);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String condition : CONDITIONS) {
          Set<FlowColumn> columns = new TreeSet<>(List.of(FlowColumn.BYTES));
          FlowColumn[] all = FlowColumn.all().toArray(FlowColumn[]::new);
          for (int c = 0; c < 6; c++) {
            columns.add(all[random.nextInt(all.length)]);
          }
          List<Row> expected = sorted(expected(flows, columns, condition));
          for (int threads = 1; threads <= 3; threads++) {
            for (boolean inOrder : new boolean[] {false, true}) {
              FlowScan.Builder scan = FlowScan.of(snapshot).threads(threads);
              columns.forEach(scan::columns);
              scan = condition == null ? scan : scan.where(condition);
              scan = inOrder ? scan.inTimeOrder() : scan;
              try (FlowScan opened = scan.open()) {
                List<Row> rows = read(opened, columns);
                String which = "seed " + seed + ", " + condition + ", " + threads + " threads";
                assertEquals(expected, sorted(rows), which);
                if (inOrder) {
                  assertInOrder(rows);
                }
              }
            }
          }
        }
      }
    }
  }

  @Test
  void mergesTwoArchivesByTime() throws IOException {
    try (Archive one = Archive.create(directory.resolve("one"), ArchiveOptions.DEFAULTS);
        Archive two = Archive.create(directory.resolve("two"), ArchiveOptions.DEFAULTS)) {
      Set<FlowColumn> columns = new TreeSet<>(List.of(FlowColumn.SRC_ADDR, FlowColumn.BYTES));
      List<Row> first = expected(fill(one, 11), columns, null);
      List<Row> second = expected(fill(two, 12), columns, null);
      try (ArchiveSnapshot ofOne = one.snapshot();
          ArchiveSnapshot ofTwo = two.snapshot();
          TimeMerge merge =
              TimeMerge.of(
                  List.of(
                      FlowScan.of(ofOne)
                          .columns(FlowColumn.SRC_ADDR, FlowColumn.BYTES)
                          .inTimeOrder()
                          .threads(2)
                          .open(),
                      FlowScan.of(ofTwo)
                          .columns(FlowColumn.SRC_ADDR, FlowColumn.BYTES)
                          .inTimeOrder()
                          .open()))) {
        List<Row> all = new ArrayList<>();
        List<List<Row>> bySource = List.of(new ArrayList<>(), new ArrayList<>());
        for (FlowBlock block = merge.next(); block != null; block = merge.next()) {
          for (int r = 0; r < block.rows(); r++) {
            Row row = new Row(block.time(r), text(block, columns, r));
            all.add(row);
            bySource.get(block.source(r)).add(row);
          }
        }
        assertInOrder(all);
        assertEquals(sorted(first), sorted(bySource.get(0)));
        assertEquals(sorted(second), sorted(bySource.get(1)));
      }
    }
  }

  @Test
  void refusesSourcesOutOfOrder() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      Traffic traffic = new Traffic(5, false, 0);
      Traffic.commit(archive, traffic.batches(400, 0.4, 0.9));
      Traffic.commit(archive, traffic.batches(400, 0.3, 0.5));
      try (ArchiveSnapshot snapshot = archive.snapshot();
          TimeMerge merge =
              TimeMerge.of(List.of(FlowScan.of(snapshot).columns(FlowColumn.BYTES).open()))) {
        IllegalArgumentException e =
            assertThrows(
                IllegalArgumentException.class, () -> read(merge, Set.of(FlowColumn.BYTES)));
        assertTrue(
            e.getMessage().startsWith("source 0 is not in the order of time"), e.getMessage());
      }
    }
  }

  @Test
  void namesWhatIsWrong() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          Traffic.commit(archive, new Traffic(5, false, 0).batches(5000, 0.4, 0.9));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertThrows(QueryException.class, () -> FlowScan.of(snapshot).where("byte > 3"));
        assertThrows(QueryException.class, () -> FlowScan.of(snapshot).where("bytes > :x").open());
        try (FlowScan scan = FlowScan.of(snapshot).columns(FlowColumn.BYTES).open()) {
          FlowBlock block = scan.next();
          assertThrows(
              IllegalArgumentException.class, () -> block.longValue(FlowColumn.PACKETS, 0));
        }
      }
      Path file = archive.segmentsDirectory().resolve(segment.fileName());
      byte[] bytes = Files.readAllBytes(file);
      for (int i = 4; i < bytes.length - 5000; i++) {
        bytes[i] ^= 1;
      }
      Files.write(file, bytes);
    }
    try (Archive archive = Archive.open(directory.resolve("a"));
        ArchiveSnapshot snapshot = archive.snapshot();
        FlowScan scan = FlowScan.of(snapshot).threads(2).open()) {
      assertThrows(SegmentCorruptException.class, () -> read(scan, Set.of(FlowColumn.BYTES)));
    }
  }

  /** A flow of 1970 in each segment opens them all at once; they do not stay open for it. */
  @Test
  void straysFromLongAgoKeepNoSegmentOpen() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = new ArrayList<>();
      FlowBatchBuilder builder = new FlowBatchBuilder(300);
      for (int s = 0; s < 150; s++) {
        for (int r = 0; r < 300; r++) {
          long end = r == 0 ? s : Traffic.BEGIN + (s * 300L + r) * 60 * Traffic.SECOND;
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, Traffic.NOW);
          builder.set(FlowColumn.END_TIME, end);
          builder.set(FlowColumn.BYTES, s * 1000L + r);
          builder.endRow();
        }
        FlowBatch batch = FlowBatch.open(builder.build(1, s, 0, 0));
        builder.clear();
        Traffic.commit(archive, List.of(batch));
        flows.add(batch);
      }
      Set<FlowColumn> columns = new TreeSet<>(List.of(FlowColumn.BYTES));
      for (String condition : new String[] {null, "bytes % 2 = 0"}) {
        for (int threads = 1; threads <= 3; threads++) {
          List<Row> expected = sorted(expected(flows, columns, condition));
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            FlowScan.Builder scan =
                FlowScan.of(snapshot).columns(FlowColumn.BYTES).inTimeOrder().threads(threads);
            try (FlowScan opened = (condition == null ? scan : scan.where(condition)).open()) {
              List<Row> rows = new ArrayList<>();
              int most = 0;
              for (FlowBlock block = opened.next(); block != null; block = opened.next()) {
                for (int r = 0; r < block.rows(); r++) {
                  rows.add(new Row(block.time(r), text(block, columns, r)));
                }
                most = Math.max(most, opened.openSegments());
              }
              assertEquals(expected, sorted(rows));
              assertInOrder(rows);
              assertTrue(most > 1 && most <= 64 + 2 * threads + 8, most + " segments open");
            }
          }
        }
      }
    }
  }

  @Test
  void opensNoSegmentThatTheHostDirectoryLeavesOut() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      List<FlowBatch> flows = fill(archive, 4);
      archive.updateDirectory(true, () -> false);
      Set<FlowColumn> columns = new TreeSet<>(List.of(FlowColumn.SRC_ADDR, FlowColumn.BYTES));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String address : new String[] {"198.51.100.7", "10.0.0.74", "2001:db8::1"}) {
          String condition = "src_addr = '" + address + "'";
          try (FlowScan scan =
              FlowScan.of(snapshot)
                  .columns(FlowColumn.SRC_ADDR, FlowColumn.BYTES)
                  .where(condition)
                  .open()) {
            List<Row> expected = sorted(expected(flows, columns, condition));
            assertEquals(expected, sorted(read(scan, columns)));
            assertTrue(expected.isEmpty() ? scan.segments() == 0 : scan.segments() > 0);
          }
        }
      }
    }
  }

  @Test
  void mayBeLeftEarly() throws IOException {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      fill(archive, 3);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int i = 0; i < 20; i++) {
          try (FlowScan scan = FlowScan.of(snapshot).threads(3).inTimeOrder().open()) {
            assertTrue(scan.next().rows() > 0);
          }
        }
      }
    }
  }
}
