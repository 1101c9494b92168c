package org.flowmon.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.flow.FlowBatch;
import org.flowmon.it.ProjectFiles;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;

/**
 * Texts of queries: parsed, printed and parsed again, and those without parameters answered over an
 * archive; where the rows are exact and in one order, as over the rows without any index.
 */
final class QueriesFuzz implements FuzzTarget {
  private static final int MAX_TEXT = 4096;
  private static final List<String> PAGES =
      List.of("docs/query-examples.md", "flowmon-jobs/src/test/resources/query-cases.md");

  private final List<FlowBatch> flows = List.of(FuzzFlows.batch(1, 40), FuzzFlows.batch(2, 30));
  private ScratchFolder folder;
  private ArchiveSnapshot snapshot;

  @Override
  public String name() {
    return "queries";
  }

  @Override
  public String about() {
    return "texts of queries: parsed, printed, parsed again and answered from an archive";
  }

  private ArchiveSnapshot snapshot() throws IOException {
    if (snapshot == null) {
      folder = new ScratchFolder();
      Archive archive = Archive.create(folder.path().resolve("a"), ArchiveOptions.DEFAULTS);
      for (int i = 0; i < flows.size(); i++) {
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(
                    archive.seal(
                        archive.newSegmentWriter(),
                        List.of(flows.get(i)),
                        Provenance.of("fuzz", "1"))),
                List.of(new SourceRange("fuzz:0", i, i + 1, FuzzFlows.START)),
                "fuzz"));
      }
      snapshot = archive.snapshot();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      snapshot.close();
                      archive.close();
                      folder.close();
                    } catch (IOException e) {
                      System.err.println(e);
                    }
                  }));
    }
    return snapshot;
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (String page : PAGES) {
      for (String block : Files.readString(ProjectFiles.root().resolve(page)).split("```", -1)) {
        String text = block.startsWith("sql") ? block.substring(3) : "";
        for (String query : text.split(";", -1)) {
          if (!query.isBlank()) {
            seeds.add(query.strip().getBytes(StandardCharsets.UTF_8));
          }
        }
      }
    }
    for (String query :
        List.of(
            "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY b DESC LIMIT 3",
            "SELECT COUNT(DISTINCT src_addr, dst_port) FROM flows WHERE bytes BETWEEN 1 AND 5",
            "SELECT CASE WHEN outgoing THEN src_addr ELSE dst_addr END AS a, COUNT(*) FROM flows"
                + " GROUP BY a HAVING COUNT(*) > 1 ORDER BY a",
            "SELECT QUANTILE(QUANTILES(bytes, 0.05), 0.95) FROM flows WHERE src_addr IN"
                + " (SELECT dst_addr FROM flows)",
            "SELECT * FROM flows WHERE NETWORK(src_addr, 24) = '10.0.0.0' AND service LIKE 't%'")) {
      seeds.add(query.getBytes(StandardCharsets.UTF_8));
    }
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return 512L << 20; // functions may be asked for large states; the query's budget bounds them
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 2_000_000_000L;
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (input.length > MAX_TEXT) {
      return;
    }
    Query query;
    try {
      query = QueryParser.parseQuery(new String(input, StandardCharsets.UTF_8));
    } catch (QueryException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
      return;
    }
    String printed = query.toString();
    String again = QueryParser.parseQuery(printed).toString();
    ExportsFuzz.require(printed.equals(again), "printed '" + printed + "', then '" + again + "'");
    answer(query);
  }

  private void answer(Query query) throws IOException {
    QueryOptions options =
        QueryOptions.DEFAULTS.withTimeLimit(Duration.ofSeconds(10)).withGroupMemory(32L << 20);
    ResultTable found;
    try {
      found = ArchiveQuery.run(snapshot(), query, options).table();
    } catch (QueryException | AnswerTooLargeException | QueryTimeoutException e) {
      return; // a parameter without a value, a query that may not take so much
    }
    ResultTable expected;
    try {
      expected = FlowQueries.run(flows, query.enriched(Enrichment.NONE));
    } catch (QueryException | AnswerTooLargeException e) {
      throw new AssertionError("the archive answers what rows alone refuse: " + e, e);
    }
    ExportsFuzz.require(
        found.rowCount() == expected.rowCount() && found.names().equals(expected.names()),
        found.rowCount() + " rows, of the rows alone " + expected.rowCount());
  }
}
