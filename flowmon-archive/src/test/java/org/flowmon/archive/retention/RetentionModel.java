package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;

/** Rows as objects, hidden by sorting all of them: slow and obviously right. */
final class RetentionModel {
  static final long SECOND = 1_000_000L;
  static final long HOUR = 3600 * SECOND;
  static final long BEGIN = 1_790_000_000L * SECOND / HOUR * HOUR;

  /** A row; {@code bytes} is its id. */
  record Row(long id, Long end, Long start, long arrival, IpAddress source, Long packets) {
    long key() {
      return end == null ? arrival : Math.min(end, arrival + HOUR);
    }
  }

  /** A row with its place. */
  record Placed(Row row, int segment, int place) {}

  private static final Comparator<Placed> ORDER =
      Comparator.comparingLong((Placed p) -> p.row.key())
          .thenComparingInt(Placed::segment)
          .thenComparingInt(Placed::place);

  private final Random random;
  private final boolean manyTies;
  private final SegmentWriter writer = new SegmentWriter();
  List<Placed> visible = new ArrayList<>();
  long total;
  long cutoff = Long.MIN_VALUE;
  long newest = Long.MIN_VALUE;
  private long nextId = 1;
  private int segments;
  long now = BEGIN;
  boolean clocksAreRight;

  /** Runs when all is sealed. */
  Runnable beforeCommit = () -> {};

  RetentionModel(Random random, boolean manyTies) {
    this.random = random;
    this.manyTies = manyTies;
  }

  private IpAddress address() {
    int host = random.nextInt(40);
    if (host == 0) {
      return null;
    }
    return host % 4 == 0
        ? new IpAddress(0x2001_0db8_0000_0000L, host)
        : IpAddress.ofIpv4(0x0A00_0000 + host);
  }

  /**
   * A row that arrives about now: some late, some with wrong times, some ahead, some without end.
   */
  private Row row(long step) {
    now += manyTies ? random.nextInt(3) == 0 ? SECOND : 0 : random.nextInt((int) step);
    long arrival = now + (manyTies ? 0 : random.nextInt(1000));
    Long end = now - (manyTies ? random.nextInt(5) * SECOND : random.nextInt(90_000_000));
    switch (clocksAreRight ? 2 + random.nextInt(2) * 2 : random.nextInt(40)) {
      case 0 -> end = null;
      case 1 -> end = now + random.nextInt(100) * HOUR; // a clock ahead
      case 2 -> end = now - random.nextInt(40) * HOUR; // late
      case 3 -> end = random.nextInt(3) == 0 ? (long) random.nextInt(1000) : end; // from 1970
      default -> {
        // unchanged
      }
    }
    Long start = end == null || random.nextInt(10) == 0 ? null : end - random.nextInt(3) * SECOND;
    return new Row(
        nextId++,
        end,
        start,
        arrival,
        address(),
        random.nextInt(8) == 0 ? null : (long) random.nextInt(1000));
  }

  SealedSegment seal(Archive archive, List<Row> rows) throws IOException {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    int left = rows.size();
    for (Row row : rows) {
      left--;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, row.arrival);
      builder.set(FlowColumn.BYTES, row.id);
      builder.set(FlowColumn.OUTGOING, row.id & 1);
      if (row.end != null) {
        builder.set(FlowColumn.END_TIME, row.end);
      }
      if (row.start != null) {
        builder.set(FlowColumn.START_TIME, row.start);
      }
      if (row.source != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, row.source);
      }
      if (row.packets != null) {
        builder.set(FlowColumn.PACKETS, row.packets);
      }
      builder.endRow();
      if (builder.isFull() || left == 0) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return writer.seal(archive.segmentsDirectory(), batches, Provenance.NONE);
  }

  /** Commits rows as some segments; returns the commit. */
  ArchiveCommit commit(Archive archive, int rows, int segmentsAtMost, long step)
      throws IOException {
    List<SealedSegment> sealed = new ArrayList<>();
    List<Placed> fresh = new ArrayList<>();
    int parts = Math.min(rows, 1 + random.nextInt(segmentsAtMost));
    for (int part = 0; part < parts; part++) {
      int n = rows * (part + 1) / parts - rows * part / parts;
      List<Row> some = new ArrayList<>();
      for (int i = 0; i < n; i++) {
        some.add(row(step));
      }
      sealed.add(seal(archive, some));
      some.sort(
          Comparator.comparingLong(Row::key)
              .thenComparingLong(r -> r.start == null ? Long.MIN_VALUE : r.start)
              .thenComparingLong(Row::arrival));
      for (int i = 0; i < n; i++) {
        fresh.add(new Placed(some.get(i), segments, i));
        newest = Math.max(newest, some.get(i).arrival);
      }
      segments++;
    }
    long first = Math.max(0, archive.committedEnd("t:0"));
    ArchiveCommit commit =
        ArchiveCommit.ofRanges(
            sealed, List.of(new SourceRange("t:0", first, first + rows + 1, now)), "test");
    beforeCommit.run();
    archive.commit(commit);
    total += rows;
    // Late rows are not among those that are kept.
    for (Placed placed : fresh) {
      if (placed.row.key() >= cutoff) {
        visible.add(placed);
      }
    }
    return commit;
  }

  /** Hides rows by the limits of count and age. */
  void expire(RetentionOptions limits) {
    candidates = new ArrayList<>(visible);
    if (limits.ageMicros() > 0) {
      cutoff = Math.max(cutoff, newest - limits.ageMicros());
      visible.removeIf(p -> p.row.key() < cutoff);
    }
    visible.sort(ORDER);
    if (limits.rows() > 0 && visible.size() > limits.rows()) {
      int gone = (int) (visible.size() - limits.rows());
      Row last = visible.get(gone - 1).row;
      visible = new ArrayList<>(visible.subList(gone, visible.size()));
      boolean tied = !visible.isEmpty() && visible.get(0).row.key() == last.key();
      cutoff = Math.max(cutoff, tied ? last.key() : last.key() + 1);
    }
  }

  Set<Long> ids() {
    Set<Long> ids = new HashSet<>();
    visible.forEach(p -> ids.add(p.row.id));
    return ids;
  }

  /**
   * Takes over which rows of equal keys are visible, if merges have changed their order. All others
   * must be as here.
   */
  void adoptTies(Set<Long> found, String context) {
    Set<Long> mine = ids();
    assertEquals(mine.size(), found.size(), context);
    List<Placed> now = new ArrayList<>();
    for (Placed placed : candidates) {
      if (found.contains(placed.row.id)) {
        now.add(placed);
      }
      if (mine.contains(placed.row.id) != found.contains(placed.row.id)) {
        assertEquals(cutoff, placed.row.key(), context + ": no tie");
      }
    }
    assertEquals(found.size(), now.size(), context);
    visible = now;
  }

  private List<Placed> candidates = List.of();

  static Set<Long> found(ArchiveSnapshot snapshot) throws IOException {
    ResultTable table = run(snapshot, "SELECT bytes FROM flows", QueryOptions.DEFAULTS);
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < table.rowCount(); i++) {
      if (!ids.add(table.longValue(i, 0))) {
        throw new AssertionError("twice: " + table.longValue(i, 0));
      }
    }
    return ids;
  }

  /** As {@link #found}, with a scan in time order. */
  static Set<Long> scanned(ArchiveSnapshot snapshot) throws IOException {
    Set<Long> ids = new HashSet<>();
    try (FlowScan scan = FlowScan.of(snapshot).inTimeOrder().open()) {
      for (FlowBlock block = scan.next(); block != null; block = scan.next()) {
        for (int row = 0; row < block.rows(); row++) {
          ids.add(block.longValue(FlowColumn.BYTES, row));
        }
      }
    }
    return ids;
  }

  /** Segments with expired flows that answer by sums. */
  static int straddlingBySums(ArchiveSnapshot snapshot) throws IOException {
    if (snapshot.segments().stream().allMatch(segment -> snapshot.firstRow(segment) == 0)) {
      return 0;
    }
    int whole = (int) snapshot.segments().stream().filter(s -> snapshot.firstRow(s) == 0).count();
    int bySums =
        ArchiveQuery.run(
                snapshot,
                QueryParser.parse("SELECT src_addr, COUNT(*) FROM flows GROUP BY src_addr"),
                QueryOptions.DEFAULTS)
            .stats()
            .segmentsByRollup();
    return Math.max(0, bySums - whole);
  }

  static ResultTable run(ArchiveSnapshot snapshot, String query, QueryOptions options)
      throws IOException {
    return ArchiveQuery.run(snapshot, QueryParser.parse(query), options).table();
  }

  /** The result of {@link #grouped}, by a query. */
  static Map<String, List<Long>> asked(
      ArchiveSnapshot snapshot, long from, long to, QueryOptions options) throws IOException {
    String where =
        from == Long.MIN_VALUE
            ? ""
            : " WHERE end_time >= " + timestamp(from) + " AND end_time < " + timestamp(to);
    ResultTable table =
        run(
            snapshot,
            "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, SUM(packets) AS p FROM flows"
                + where
                + " GROUP BY src_addr",
            options);
    Map<String, List<Long>> groups = new TreeMap<>();
    for (int i = 0; i < table.rowCount(); i++) {
      groups.put(
          String.valueOf(table.isNull(i, 0) ? null : table.address(i, 0)),
          List.of(
              table.longValue(i, 1),
              table.longValue(i, 2),
              table.isNull(i, 3) ? 0 : table.longValue(i, 3)));
    }
    return groups;
  }

  private static String timestamp(long micros) {
    return "TIMESTAMP '" + Instant.EPOCH.plus(micros, ChronoUnit.MICROS) + "'";
  }

  /** Count of rows, sum of ids, sum of packets by source, over rows within times. */
  static Map<String, List<Long>> grouped(List<Placed> rows, long from, long to) {
    Map<String, List<Long>> groups = new TreeMap<>();
    for (Placed placed : rows) {
      Row row = placed.row;
      if (from == Long.MIN_VALUE || (row.end != null && row.end >= from && row.end < to)) {
        groups.merge(
            String.valueOf(row.source),
            List.of(1L, row.id, row.packets == null ? 0 : row.packets),
            (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1), a.get(2) + b.get(2)));
      }
    }
    return groups;
  }
}
