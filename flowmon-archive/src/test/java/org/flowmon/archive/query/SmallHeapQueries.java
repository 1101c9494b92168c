package org.flowmon.archive.query;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;

/** Runs queries that a small heap cannot hold, in a process of its own; prints how each ended. */
public final class SmallHeapQueries {
  /** None of these answers, or of their inputs, fits half of a heap of 64 MiB. */
  static final List<String> TOO_LARGE =
      List.of(
          // One state that grows with its values, and one for each of many groups.
          "SELECT MEDIAN(QUANTILES(bytes, 0)) AS m, MEDIAN(QUANTILES(bytes + src_port, 0)) AS p"
              + " FROM flows",
          "SELECT src_addr, MEDIAN(QUANTILES(bytes, 0)) AS m FROM flows GROUP BY src_addr",
          "SELECT protocol, MEDIAN(QUANTILES(bytes, 0)) AS m, MEDIAN(QUANTILES(bytes - src_port,"
              + " 0)) AS p, MEDIAN(QUANTILES(end_time, 0)) AS e FROM flows GROUP BY protocol",
          // States that are large with their first row, for thousands of groups in one block.
          "SELECT src_addr, TOTAL(HEAVY_HITTERS(dst_addr, bytes, 4096, 4, 'auto/direct')) AS t FROM"
              + " flows GROUP BY src_addr",
          "SELECT src_addr, TOP(HEAVY_HITTERS(dst_addr, bytes, 65536, 8, 'auto/direct'), 3) AS t"
              + " FROM flows GROUP BY src_addr",
          "SELECT TOTAL(HEAVY_HITTERS(dst_addr, bytes, 65536, 8, 'auto/direct')) AS t, protocol"
              + " FROM flows GROUP BY protocol, src_port",
          "SELECT src_port / 256 AS p, CARDINALITY(DISTINCT_SAMPLE(dst_addr, 65536)) AS a,"
              + " CARDINALITY(DISTINCT_SAMPLE(bytes, 65536)) AS b, CARDINALITY(DISTINCT_SAMPLE("
              + "dst_addr, bytes, 65536)) AS c FROM flows GROUP BY p",
          "SELECT src_addr, CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS a, CARDINALITY("
              + "APPROX_COUNT_DISTINCT(bytes)) AS b, CARDINALITY(APPROX_COUNT_DISTINCT(src_port))"
              + " AS c FROM flows GROUP BY src_addr",
          // States as texts of an answer, and merged over results.
          "SELECT src_addr, HEAVY_HITTERS(dst_addr) AS state FROM flows GROUP BY src_addr",
          "SELECT TOTAL(MERGE(state)) AS t FROM (SELECT src_addr, HEAVY_HITTERS(dst_addr, bytes,"
              + " 4096, 4, 'auto/direct') AS state FROM flows GROUP BY src_addr) AS s",
          "SELECT CARDINALITY(UNION(MERGE(a), MERGE(b))) AS n FROM (SELECT dst_addr,"
              + " DISTINCT_SAMPLE(src_addr, bytes) AS a, DISTINCT_SAMPLE(src_addr, src_port) AS b"
              + " FROM flows GROUP BY dst_addr) AS s",
          // Groups, values and rows.
          "SELECT COUNT(DISTINCT src_addr, dst_addr, bytes) AS n FROM flows",
          "SELECT src_addr, dst_addr, bytes, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr,"
              + " bytes ORDER BY n LIMIT 2 BY src_addr",
          "SELECT uid, COUNT(*) AS n FROM flows GROUP BY uid",
          "SELECT uid, src_port, MAX(bytes) AS n FROM flows GROUP BY uid, src_port",
          "SELECT COUNT(*) AS n FROM (SELECT uid, src_addr, bytes FROM flows) AS f",
          "SELECT * FROM flows ORDER BY bytes",
          "SELECT uid FROM flows ORDER BY uid DESC");

  /** Only some of their rows are in memory at a time. */
  static final List<String> STREAMED =
      List.of(
          "SELECT * FROM flows",
          "SELECT * FROM flows ORDER BY end_time",
          "SELECT * FROM flows ORDER BY end_time DESC LIMIT 350000");

  /** A query that fits any heap: the process still works. */
  static final String SMALL = "SELECT COUNT(*) AS n, SUM(bytes) AS b FROM flows";

  private SmallHeapQueries() {}

  /**
   * Runs the queries.
   *
   * @param arguments the archive, and the number of threads
   */
  public static void main(String[] arguments) throws IOException {
    QueryOptions options = QueryOptions.DEFAULTS.withThreads(Integer.parseInt(arguments[1]));
    try (Archive archive = Archive.open(Path.of(arguments[0]), ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (int q = 0; q < TOO_LARGE.size(); q++) {
        System.out.println(q + " " + outcome(snapshot, TOO_LARGE.get(q), options));
        System.out.println("small " + outcome(snapshot, SMALL, options));
      }
      for (String sql : STREAMED) {
        StreamedAnswer answer =
            ArchiveQuery.stream(
                List.of(snapshot), QueryParser.parseQuery(sql), options, some -> {});
        System.out.println("streamed " + answer.rows());
      }
    }
  }

  private static String outcome(ArchiveSnapshot snapshot, String sql, QueryOptions options)
      throws IOException {
    try {
      QueryAnswer answer = ArchiveQuery.run(snapshot, QueryParser.parseQuery(sql), options);
      return "answered: " + answer.table().rowCount() + " rows";
    } catch (AnswerTooLargeException e) {
      return "refused: " + e.getMessage();
    } catch (QueryException e) {
      return "wrong: " + e.getMessage();
    } catch (OutOfMemoryError e) {
      return "no heap left: " + List.of(e.getStackTrace()).stream().limit(3).toList();
    }
  }
}
