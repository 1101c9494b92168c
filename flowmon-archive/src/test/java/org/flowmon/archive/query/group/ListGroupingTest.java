package org.flowmon.archive.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of pairs of addresses with a filter on the first, against all rows. */
class ListGroupingTest {
  private static final int SEGMENTS = 3;
  private static final int ROWS = 14_000; // of a segment
  private static final int QUERIES = 60;
  // The most frequent sources: each has more than a thousand rows.
  private static final List<String> BUSY = List.of("192.0.2.1", "10.0.0.74", "192.0.2.3");
  private static final List<String> AGGREGATES =
      List.of(
          "COUNT(*)",
          "COUNT(bytes)",
          "SUM(bytes)",
          "AVG(packets)",
          "MIN(bytes)",
          "MAX(dst_port)",
          "MIN(dst_addr)",
          "MAX(src_addr)",
          "SUM(bytes + packets)");

  @TempDir Path directory;

  private Archive archive;
  private final List<FlowBatch> flows = new ArrayList<>();

  private void fill(String name, long seed, boolean ipv6, double unknown) throws IOException {
    archive = Archive.create(directory.resolve(name), ArchiveOptions.DEFAULTS);
    flows.clear();
    Traffic traffic = new Traffic(seed, ipv6, unknown);
    for (int s = 0; s < SEGMENTS; s++) {
      List<FlowBatch> batches = traffic.batches(ROWS, (double) s / SEGMENTS, (s + 1.0) / SEGMENTS);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
  }

  private static String query(SplittableRandom random, int q) {
    List<String> sources = new ArrayList<>(BUSY);
    while (sources.size() > 1 && random.nextInt(3) == 0) {
      sources.remove(random.nextInt(sources.size()));
    }
    String filter = "src_addr IN ('" + String.join("', '", sources) + "')";
    if (random.nextInt(3) == 0) {
      long from = Traffic.BEGIN + random.nextInt(4 * 24) * Traffic.HOUR;
      filter += " AND end_time >= TIMESTAMP '" + Instant.ofEpochSecond(from / 1_000_000) + "'";
    }
    String first = AGGREGATES.get(random.nextInt(AGGREGATES.size()));
    String second = AGGREGATES.get(random.nextInt(AGGREGATES.size()));
    if (random.nextInt(3) == 0) { // counts of rows alone take another way
      first = "COUNT(*)";
      second = "COUNT(*)";
    }
    String keys = random.nextInt(4) == 0 ? "dst_addr, src_addr" : "src_addr, dst_addr";
    String order =
        switch (random.nextInt(4)) {
          case 0 -> " ORDER BY x DESC LIMIT 25";
          case 1 -> " ORDER BY src_addr LIMIT 100";
          case 2 -> " ORDER BY dst_addr DESC";
          default -> "";
        };
    String having =
        switch (q % 4) {
          case 0 -> " HAVING COUNT(*) > " + q % 5;
          case 1 -> " HAVING SUM(bytes) % 3 = 0 OR dst_addr IS NULL";
          default -> "";
        };
    return random.nextInt(5) == 0
        ? "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows WHERE "
            + filter
            + " GROUP BY src_addr"
            + (q % 2 == 0 ? "" : " HAVING n > 300")
        : "SELECT src_addr, dst_addr, "
            + first
            + " AS x, "
            + second
            + " AS y FROM flows WHERE "
            + filter
            + " GROUP BY "
            + keys
            + having
            + order;
  }

  /** Whether a query's groups are made list by list. */
  private static boolean isByLists(ArchiveSnapshot snapshot, String sql) throws IOException {
    FlowQuery query = QueryParser.parse(sql);
    List<SealedSegment> segments = snapshot.segments();
    QueriedArchives archives = new QueriedArchives(List.of(snapshot), true);
    Deadline deadline = new Deadline(Optional.empty(), Long.MAX_VALUE, Long.MAX_VALUE, () -> false);
    List<FlowQuery> groupings = new Groupings(query).all();
    if (groupings.size() != 1) {
      return false;
    }
    Optional<ListGrouping> lists =
        ListPlanner.plan(
            archives,
            Filter.of(query.where()),
            NumberedKeys.of(groupings.get(0)).orElseThrow(),
            1,
            segments,
            deadline,
            GroupMemory.unlimited());
    lists.ifPresent(ListGrouping::close);
    return lists.isPresent();
  }

  /** Whether the lists of each segment with any were the rows of groups. */
  private static boolean answeredByLists(QueryStats told) {
    List<SegmentAccess.Way> ways =
        told.accesses().stream()
            .map(SegmentAccess::way)
            .filter(way -> way != SegmentAccess.Way.NONE)
            .distinct()
            .toList();
    assertTrue(ways.size() == 1 || !ways.contains(SegmentAccess.Way.LISTS), ways.toString());
    return ways.equals(List.of(SegmentAccess.Way.LISTS));
  }

  /** The number of all rows that a query's filter keeps. */
  private long rows(String sql) {
    String filter = sql.substring(sql.indexOf(" WHERE "), sql.indexOf(" GROUP BY "));
    FlowQuery count = QueryParser.parse("SELECT COUNT(*) AS n FROM flows" + filter);
    return FlowQueries.run(flows, count).longValue(0, 0);
  }

  @Test
  void groupsAreThoseOfAllRows() throws IOException {
    int byLists = 0;
    for (int round = 0; round < 4; round++) {
      long seed = 400 + 2L * round;
      fill("a" + round, seed, round % 2 == 1, round < 2 ? 0 : 0.1);
      SplittableRandom random = new SplittableRandom(seed);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int q = 0; q < QUERIES; q++) {
          String sql = query(random, q);
          QueryOptions options = QueryOptions.DEFAULTS.withThreads(1 + random.nextInt(3));
          FlowQuery query = QueryParser.parse(sql);
          QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
          String context = "seed " + seed + ", query " + q + ": " + sql;
          assertEquals(
              FlowQueries.run(flows, query).toString(), answer.table().toString(), context);
          QueryStats told = ArchiveQuery.run(snapshot, query, options.withExplain(true)).stats();
          assertEquals(told.rowsMatched(), answer.stats().rowsMatched(), context);
          assertEquals(rows(sql), answer.stats().rowsMatched(), context);
          boolean lists = isByLists(snapshot, sql);
          assertEquals(lists, answeredByLists(told), context);
          byLists += lists ? 1 : 0;
        }
      }
      archive.close();
    }
    assertTrue(byLists > QUERIES * 3 / 4, "by lists " + byLists);
  }

  @Test
  void limitsHoldForListsToo() throws IOException {
    fill("a", 500, false, 0);
    String sql =
        "SELECT src_addr, dst_addr, COUNT(*) FROM flows WHERE src_addr = '192.0.2.1'"
            + " GROUP BY src_addr, dst_addr";
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertTrue(isByLists(snapshot, sql));
      FlowQuery query = QueryParser.parse(sql);
      long rows = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).stats().rowsMatched();
      QueryOptions enough = QueryOptions.DEFAULTS.withRowLimit(rows);
      assertEquals(rows, ArchiveQuery.run(snapshot, query, enough).stats().rowsMatched());
      QueryOptions fewer = QueryOptions.DEFAULTS.withRowLimit(rows - 1).withThreads(2);
      assertThrows(RowLimitException.class, () -> ArchiveQuery.run(snapshot, query, fewer));
      QueryOptions bytes = QueryOptions.DEFAULTS.withByteLimit(1000);
      assertThrows(ByteLimitException.class, () -> ArchiveQuery.run(snapshot, query, bytes));
    }
    archive.close();
  }

  /** Spoils the posting list of a source in a sidecar, but for the number of its rows. */
  private static void spoilList(Path folder, SealedSegment segment, String source)
      throws IOException {
    int id;
    try (SegmentIndex index = segment.openIndex(folder, true)) {
      IpAddress address = IpAddress.parse(source);
      id = index.lowerBound(FlowColumn.SRC_ADDR, address.hi(), address.lo());
    }
    Path file = folder.resolve(segment.indexFileName());
    byte[] bytes = Files.readAllBytes(file);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    String blob = "\"flowmon-postings-v1\",\"fields\":[" + FlowColumn.SRC_ADDR.id() + "]";
    String offset = text.substring(text.indexOf("\"offset\":", text.indexOf(blob)) + 9);
    int at = Integer.parseInt(offset.substring(0, offset.indexOf(',')));
    ByteBuffer sidecar = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int lists = at + sidecar.getInt(at + 8);
    int list = lists + sidecar.getInt(lists - 4 * (sidecar.getInt(at) - id));
    while (bytes[list] < 0) {
      list++;
    }
    sidecar.putLong(list + 1, -1);
    Files.write(file, bytes);
  }

  /** The first segment is closed between two attempts, and its damage forgotten. */
  @Test
  void rowsAnswerOnceAListIsFoundDamagedThoughItsSegmentIsForgotten() throws IOException {
    fill("a", 500, false, 0);
    FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr, dst_addr, MAX(bytes) FROM flows WHERE src_addr = '192.0.2.1'"
                + " GROUP BY src_addr, dst_addr");
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertTrue(isByLists(snapshot, query.toString()));
      for (SealedSegment segment : snapshot.segments()) {
        spoilList(archive.segmentsDirectory(), segment, "192.0.2.1");
      }
    }
    archive.close();
    try (Archive few = Archive.open(directory.resolve("a"), new ArchiveOptions(64, 1));
        ArchiveSnapshot snapshot = few.snapshot()) {
      QueryOptions unchecked = QueryOptions.DEFAULTS.withVerifyChecksums(false);
      QueryAnswer answer = ArchiveQuery.run(snapshot, query, unchecked);
      assertEquals(FlowQueries.run(flows, query).toString(), answer.table().toString());
      assertEquals(SEGMENTS, answer.stats().warnings().size());
    }
  }

  private static List<FlowBatch> flows(int rows, String source, int destinations) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(8192);
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, Traffic.BEGIN + i);
      builder.set(FlowColumn.END_TIME, Traffic.BEGIN + i);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(source));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.ofIpv4(i * 31 % destinations));
      builder.endRow();
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  @Test
  void rowsAreCountedAsTheyAreReadWhereTheirNumbersTakeMoreThanTheQueryMay() throws IOException {
    archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS);
    int rows = 200_000;
    flows.addAll(flows(rows, "192.0.2.1", 40));
    flows.addAll(flows(rows + 1000, "192.0.2.2", 40));
    Traffic.commit(archive, flows);
    String sql =
        "SELECT src_addr, dst_addr, COUNT(*) AS n FROM flows WHERE src_addr = '192.0.2.1'"
            + " GROUP BY src_addr, dst_addr";
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertTrue(isByLists(snapshot, sql));
      FlowQuery query = QueryParser.parse(sql);
      String expected = FlowQueries.run(flows, query).toString();
      long numbers = (long) Integer.BYTES * rows;
      for (long most : new long[] {numbers - numbers / 5, 100 * numbers}) {
        QueryOptions options = QueryOptions.DEFAULTS.withThreads(2).withGroupMemory(most);
        QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
        assertEquals(expected, answer.table().toString(), most + " bytes");
        assertEquals(rows, answer.stats().rowsMatched(), most + " bytes");
        QueryStats told = ArchiveQuery.run(snapshot, query, options.withExplain(true)).stats();
        assertTrue(answeredByLists(told), most + " bytes");
      }
    }
    archive.close();
  }
}
