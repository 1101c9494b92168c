package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.query.filter.Filter;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Expired rows that are still in their file are in no answer, in whatever way it is made: by sums,
 * by groups of numbers, by posting lists, in pieces, as of a time, over two archives.
 */
class ExpiredRowsQueryTest {
  private static final int QUERIES = 120;
  private static final String BUSY = "src_addr IN ('192.0.2.1', '10.0.0.74', '192.0.2.3')";

  @TempDir Path directory;

  private final List<FlowBatch> flows = new ArrayList<>();

  private Archive fill(String name, Traffic traffic, int... segments) throws IOException {
    Archive archive = Archive.create(directory.resolve(name), ArchiveOptions.DEFAULTS);
    for (int s = 0; s < segments.length; s++) {
      double from = (double) s / segments.length;
      // Later segments reach back, so that some of them have lost rows, too.
      List<FlowBatch> batches =
          traffic.batches(segments[s], from * from, Math.min(1, from + 1.0 / segments.length));
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
    return archive;
  }

  /** Keeps so many of the newest rows that the first one is alone with its time. */
  private static long expire(Archive archive, List<FlowBatch> of, double share) throws IOException {
    FlowQuery times = QueryParser.parse("SELECT end_time, arrival FROM flows");
    ResultTable table = FlowQueries.run(of, times);
    long[] keys = new long[table.rowCount()];
    for (int row = 0; row < keys.length; row++) {
      keys[row] = table.longValue(row, table.isNull(row, 0) ? 1 : 0);
    }
    Arrays.sort(keys);
    int first = (int) (share * keys.length);
    while (keys[first] == keys[first - 1]) {
      first++;
    }
    archive.commit(
        ArchiveCommit.ofRetention(
            RetentionChange.to(new RetentionOptions(keys.length - first, keys.length, 0, 0)),
            "test"));
    return keys[first];
  }

  private static String timestamp(long micros) {
    return RandomQueries.timestamp(micros);
  }

  private static String query(Random random, RandomQueries queries) {
    String[] keys = {
      "src_addr",
      "dst_addr",
      "src_addr, dst_addr",
      "dst_addr, src_addr",
      "src_addr, protocol",
      "CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
      "src_addr, outgoing",
      "TIME_BUCKET(end_time, INTERVAL '1' HOUR)"
    };
    String key = keys[random.nextInt(keys.length)];
    String[] aggregates = {
      "SUM(bytes) AS x, COUNT(*)", "COUNT(*) AS x", "COUNT(DISTINCT dst_addr) AS x, SUM(bytes)",
      "MAX(end_time) AS x", "SUM(packets) AS x, AVG(bytes)",
          "COUNT(DISTINCT src_addr, dst_addr) AS x"
    };
    String from = timestamp(Traffic.BEGIN + random.nextInt(10 * 24) * Traffic.HOUR);
    String[] conditions = {
      "",
      "",
      " WHERE " + BUSY,
      " WHERE " + BUSY + " AND end_time >= " + from,
      " WHERE end_time >= " + from,
      " WHERE end_time < " + from,
      " WHERE outgoing",
      " WHERE dst_addr = '192.0.2.1' AND bytes > 10",
      " WHERE src_addr = '192.0.2.1'"
    };
    String[] orders = {"", "", " ORDER BY x DESC LIMIT 9", " LIMIT 30"};
    return switch (random.nextInt(6)) {
      case 0 -> queries.grouped();
      case 1 -> random.nextBoolean() ? queries.rows() : queries.rows().replaceAll(" LIMIT .*", "");
      default ->
          "SELECT "
              + key
              + ", "
              + aggregates[random.nextInt(aggregates.length)]
              + " FROM flows"
              + conditions[random.nextInt(conditions.length)]
              + " GROUP BY "
              + key
              + orders[random.nextInt(orders.length)];
    };
  }

  @Test
  void expiredRowsAreInNoAnswer() throws IOException {
    for (int round = 0; round < 4; round++) {
      // With these seeds no clock is ahead: the time key is end_time, else arrival.
      long seed = 600 + 3L * round;
      flows.clear();
      try (Archive one =
          fill("a" + round, new Traffic(seed, round > 0, 0.02 * round), 9000, 12_000, 7000)) {
        List<FlowBatch> ofOne = List.copyOf(flows);
        long cutoff = expire(one, ofOne, 0.15 + 0.2 * round);
        try (Archive two =
            Archive.create(directory.resolve("b" + round), ArchiveOptions.DEFAULTS)) {
          // None of them is older than the cutoff of the other archive.
          List<FlowBatch> newest = new Traffic(seed + 3, true, 0).batches(5000, 0.9, 1);
          Traffic.commit(two, newest);
          flows.addAll(newest);
          compare(one, two, ofOne, seed, cutoff);
        }
      }
    }
  }

  private void compare(Archive one, Archive two, List<FlowBatch> ofOne, long seed, long cutoff)
      throws IOException {
    Random random = new Random(seed);
    RandomQueries queries = new RandomQueries(seed);
    Parameters now = Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW));
    try (ArchiveSnapshot first = one.snapshot();
        ArchiveSnapshot second = two.snapshot()) {
      assertTrue(first.expiredRows() > 0);
      for (int q = 0; q < QUERIES; q++) {
        boolean both = random.nextInt(3) == 0;
        String sql = query(random, queries);
        FlowQuery query = QueryParser.parse(sql).bind(now);
        QueryOptions options =
            QueryOptions.DEFAULTS
                .withThreads(1 + random.nextInt(4))
                .withPieceRows(1 + random.nextInt(4000))
                .withRollups(random.nextInt(3) > 0);
        Expression where = visible(query.where(), cutoff);
        if (random.nextInt(4) == 0) {
          long asOf = Traffic.BEGIN + random.nextInt(10 * 24) * Traffic.HOUR;
          options = options.withAsOfArrival(asOf);
          where = Filter.asOf(where, asOf);
        }
        FlowQuery expected = query.withWhere(where);
        List<ArchiveSnapshot> asked = both ? List.of(first, second) : List.of(first);
        assertEquals(
            FlowQueries.run(both ? flows : ofOne, expected).toString(),
            ArchiveQuery.run(asked, query, options).table().toString(),
            "seed " + seed + ", query " + q + ", " + options + ": " + sql);
      }
    }
  }

  private static Expression visible(Expression where, long cutoff) {
    String time = timestamp(cutoff);
    Expression visible =
        QueryParser.parse(
                "SELECT COUNT(*) FROM flows WHERE end_time >= "
                    + time
                    + " OR (end_time IS NULL AND arrival >= "
                    + time
                    + ")")
            .where();
    return where == null ? visible : new Expression.And(List.of(where, visible));
  }
}
