package org.flowmon.archive.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** When groups are numbered, and when not. */
class PackedGroupingChoiceTest extends PackedGroupingFixture {
  @Test
  void addressesThatAreAllNullAreOneGroupWhereverAnArgumentIsNull() throws IOException {
    // Keys are cut after the first 16,384 rows; rows are in the order of their times.
    for (int firstNull : new int[] {19_500, 0}) {
      SplittableRandom random = new SplittableRandom(firstNull);
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        long time = Traffic.BEGIN + i * 1000L;
        boolean isNull = i >= firstNull && i < firstNull + 500;
        Long bytes = isNull ? null : (Long) (1000 + random.nextLong(9000));
        IpAddress host = address(random, true);
        rows.add(new Row(host, host, null, 1L, 6L, 1L, bytes, 1L, time, time));
      }
      try (Archive archive =
          Archive.create(directory.resolve("a" + firstNull), ArchiveOptions.DEFAULTS)) {
        commit(archive, rows);
        for (String keys : List.of("next_hop", "exporter", "exporter, next_hop")) {
          String sql =
              "SELECT COUNT(*), COUNT(bytes), MIN(bytes), MAX(bytes) FROM flows GROUP BY " + keys;
          FlowQuery query = QueryParser.parse(sql);
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            assertTrue(isPacked(snapshot, query), sql);
            String table =
                ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table().toString();
            String expected =
                "20000\t19500\t"
                    + text(extreme(rows, Row::bytes, false))
                    + "\t"
                    + text(extreme(rows, Row::bytes, true));
            String[] lines = table.split("\n", -1);
            assertEquals(
                expected,
                String.join("\n", List.of(lines).subList(1, lines.length)),
                "NULL from row " + firstNull + ": " + sql);
          }
        }
      }
    }
  }

  @Test
  void dictionariesCountAsBytesBeforeTheyAreRead() throws IOException {
    SplittableRandom random = new SplittableRandom(6);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        commit(archive, rows(random, 5000, 0, true));
      }
      FlowQuery query =
          QueryParser.parse("SELECT src_addr, MAX(bytes) AS m FROM flows GROUP BY src_addr");
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withThreads(1);
        long all = ArchiveQuery.run(snapshot, query, options).stats().bytesRead();
        ArchiveQuery.run(snapshot, query, options.withByteLimit(all));
        assertThrows(
            ByteLimitException.class,
            () -> ArchiveQuery.run(snapshot, query, options.withByteLimit(all - 1)));
        ByteLimitException early =
            assertThrows(
                ByteLimitException.class,
                () -> ArchiveQuery.run(snapshot, query, options.withByteLimit(100)));
        assertTrue(early.getMessage().endsWith("0 of 3 segments were done"), early.getMessage());
      }
    }
  }

  @Test
  void whatIsNotWorthNumberingIsGroupedAsItIs() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      commit(archive, rows(random, 20_000, 0, true));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        String pairs = "SELECT src_addr, dst_addr, SUM(bytes) FROM flows {} GROUP BY 1, 2";
        pairs = pairs.replace("GROUP BY 1, 2", "GROUP BY src_addr, dst_addr");
        assertTrue(isPacked(snapshot, QueryParser.parse(pairs.replace("{}", ""))));
        // Few rows.
        String few = "WHERE src_addr = '10.0.1.70'";
        assertTrue(!isPacked(snapshot, QueryParser.parse(pairs.replace("{}", few))));
        // Keys that do not fit a long, and keys that are not columns.
        for (String keys :
            List.of("bytes", "src_as, dst_as", "service", "NETWORK(src_addr, 24)", "bytes + 1")) {
          String sql = "SELECT " + keys + ", COUNT(*) FROM flows GROUP BY " + keys;
          assertTrue(!isPacked(snapshot, QueryParser.parse(sql)), sql);
        }
      }
    }
  }
}
