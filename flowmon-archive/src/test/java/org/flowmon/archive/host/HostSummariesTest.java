package org.flowmon.archive.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same sums as SQL in DuckDB over the same files. */
class HostSummariesTest {
  @TempDir Path directory;

  private static List<String> rows(Connection duckdb, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = duckdb.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int c = 1; c <= result.getMetaData().getColumnCount(); c++) {
          row.append(result.getString(c)).append('|');
        }
        rows.add(row.toString());
      }
    }
    return rows.stream().sorted().toList();
  }

  private static String joined(Object... cells) {
    StringBuilder row = new StringBuilder();
    for (Object cell : cells) {
      row.append(cell).append('|');
    }
    return row.toString();
  }

  @Test
  void everySumIsThatOfSql() throws Exception {
    for (long seed : new long[] {4, 6, 10}) {
      Traffic traffic = new Traffic(seed, true, 0.1);
      Path folder = directory.resolve("a" + seed);
      try (Archive archive = Archive.openOrCreate(folder, ArchiveOptions.DEFAULTS);
          Connection duckdb = DriverManager.getConnection("jdbc:duckdb:")) {
        List<String> files = new ArrayList<>();
        for (int s = 0; s < 6; s++) {
          String file =
              Traffic.commit(archive, traffic.batches(3000, s / 6.0, (s + 1) / 6.0)).fileName();
          files.add("'" + archive.segmentsDirectory().resolve(file) + "'");
        }
        archive.updateDirectory(false, () -> false);
        try (Statement statement = duckdb.createStatement()) {
          statement.execute(
              "CREATE VIEW flows AS SELECT * REPLACE (epoch_us(end_time) AS end_time) FROM"
                  + " read_parquet(["
                  + String.join(", ", files)
                  + "], union_by_name = true)");
        }
        for (String host : new String[] {"2001:db8::1", "10.0.0.74", "192.0.2.3", "203.0.113.1"}) {
          compare(archive, duckdb, host, Long.MIN_VALUE, Long.MAX_VALUE, seed);
          compare(
              archive, duckdb, host, Traffic.BEGIN + Traffic.DAY, Traffic.NOW - Traffic.DAY, seed);
        }
      }
    }
  }

  @Test
  void itsQueriesShareTheTimeThatIsLeft() throws Exception {
    AtomicInteger queries = new AtomicInteger();
    QueryOptions options =
        QueryOptions.DEFAULTS.withTimeLeft(
            () -> queries.incrementAndGet() < 3 ? Duration.ofHours(1) : Duration.ZERO);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(4, true, 0.1).batches(3000, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertThrows(
            QueryTimeoutException.class,
            () ->
                HostSummaries.of(
                    List.of(snapshot),
                    IpAddress.parse("10.0.0.74"),
                    Long.MIN_VALUE,
                    Long.MAX_VALUE,
                    Traffic.NOW,
                    options));
      }
    }
    assertEquals(3, queries.get());
  }

  private static void compare(
      Archive archive, Connection duckdb, String host, long from, long to, long seed)
      throws Exception {
    long now = Traffic.NOW - 3 * Traffic.DAY;
    HostSummary summary;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      summary =
          HostSummaries.of(
              List.of(snapshot),
              IpAddress.parse(host),
              from,
              to,
              now,
              QueryOptions.DEFAULTS.withThreads(2));
    }
    String context = "seed " + seed + ", " + host;
    String times =
        from == Long.MIN_VALUE ? "" : " AND end_time >= " + from + " AND end_time < " + to;
    String src = "src_addr = '" + host + "'";
    String dst = "dst_addr = '" + host + "'";
    String sent =
        "COALESCE(SUM(CASE WHEN "
            + src
            + " THEN bytes END), 0)"
            + " + COALESCE(SUM(CASE WHEN "
            + dst
            + " THEN reverse_bytes END), 0)";
    String received =
        "COALESCE(SUM(CASE WHEN "
            + dst
            + " THEN bytes END), 0)"
            + " + COALESCE(SUM(CASE WHEN "
            + src
            + " THEN reverse_bytes END), 0)";
    String of = " FROM flows WHERE (" + src + " OR " + dst + ")" + times;
    boolean timed = summary.firstSeen() != Long.MAX_VALUE;
    assertEquals(
        rows(
            duckdb,
            "SELECT COUNT(*), MIN(end_time), MAX(end_time), " + sent + ", " + received + of),
        List.of(
            joined(
                summary.flows(),
                timed ? summary.firstSeen() : null,
                timed ? summary.lastSeen() : null,
                summary.sent(),
                summary.received())),
        context);
    assertTrue(summary.flows() > 0 || host.startsWith("203"), context);
    assertEquals(
        rows(
            duckdb,
            "SELECT end_time // 3600000000 * 3600000000 AS hour, COUNT(*), "
                + sent
                + ", "
                + received
                + of
                + " AND end_time IS NOT NULL GROUP BY hour"),
        summary.hours().stream()
            .map(h -> joined(h.start(), h.flows(), h.sent(), h.received()))
            .sorted()
            .toList(),
        context);
    assertEquals(
        rows(
            duckdb,
            "SELECT peer, COUNT(*), SUM(s), SUM(r) FROM (SELECT CASE WHEN "
                + src
                + " THEN dst_addr ELSE src_addr END AS peer, CASE WHEN "
                + src
                + " THEN COALESCE(bytes, 0) ELSE 0 END + CASE WHEN "
                + dst
                + " THEN COALESCE(reverse_bytes, 0) ELSE 0 END AS s, CASE WHEN "
                + dst
                + " THEN COALESCE(bytes, 0) ELSE 0 END + CASE WHEN "
                + src
                + " THEN COALESCE(reverse_bytes, 0) ELSE 0 END AS r"
                + of
                + ") WHERE peer IS NOT NULL GROUP BY peer"),
        summary.peers().stream()
            .map(p -> joined(p.address(), p.flows(), p.sent(), p.received()))
            .sorted()
            .toList(),
        context);
    assertEquals(services(duckdb, src, dst, times, now), services(summary), context);
  }

  private static List<String> services(HostSummary summary) {
    return summary.services().stream()
        .map(
            s ->
                joined(
                    s.offered() ? 1 : 0,
                    s.protocol(),
                    s.port(),
                    s.flows(),
                    s.peers(),
                    s.peersNow(),
                    s.peersBefore()))
        .sorted()
        .toList();
  }

  /**
   * Each flow once for the source and once for the destination, seen from the host. All have one
   * direction and no flags, and none answers another: of these the lower port is the server's.
   */
  private static List<String> services(
      Connection duckdb, String src, String dst, String times, long now) throws SQLException {
    String seen =
        "SELECT protocol, src_port, dst_port, end_time, %s AS peer, %s AS is_dst,"
            + " COALESCE(protocol IN (6, 17) AND src_port <= dst_port, FALSE) AS answers FROM flows"
            + " WHERE %s";
    String both =
        seen.formatted("dst_addr", "0", src + times)
            + " UNION ALL "
            + seen.formatted("src_addr", "1", dst + times);
    return rows(
        duckdb,
        "SELECT CASE WHEN answers THEN 1 - is_dst ELSE is_dst END AS offered, protocol,"
            + " CASE WHEN answers THEN src_port ELSE dst_port END AS port, COUNT(*),"
            + " COUNT(DISTINCT peer), COUNT(DISTINCT CASE WHEN end_time >= "
            + now
            + " THEN peer END), COUNT(DISTINCT CASE WHEN end_time < "
            + now
            + " THEN peer END) FROM ("
            + both
            + ") GROUP BY offered, protocol, port");
  }

  @Test
  void magnitudesArePowersOfTwo() {
    assertEquals("0", HostSummary.magnitude(BigInteger.ZERO));
    assertEquals("2^0–2^1", HostSummary.magnitude(BigInteger.ONE));
    assertEquals("2^10–2^11", HostSummary.magnitude(BigInteger.valueOf(1024)));
    assertEquals("2^10–2^11", HostSummary.magnitude(BigInteger.valueOf(2047)));
    assertEquals("2^64–2^65", HostSummary.magnitude(BigInteger.ONE.shiftLeft(64)));
  }
}
