package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.output.ReportText;
import org.flowmon.deploy.output.RowWriter;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.jobs.report.ReportApproximation;
import org.flowmon.udaf.Approximation;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.query.Query;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon query}: runs one query over the archive. */
@Command(
    name = "query",
    mixinStandardHelpOptions = true,
    description =
        "Answers a query from the archive. Answers are exact; below those of functions such as"
            + " QUANTILES stands how far they may be off.",
    footer = {
      "",
      "Example:",
      "  flowmon query \"SELECT src_addr, SUM(bytes) AS bytes FROM flows",
      "    WHERE dst_addr IN '192.0.2.0/24' GROUP BY src_addr",
      "    ORDER BY bytes DESC LIMIT 10\" --archive DIR",
      "",
      "The rows go to standard output. How far they can be trusted is said on standard",
      "error or in --confidence. Counts of what was read follow on standard error: always",
      "with a table, with CSV and JSON only with -v."
    })
public final class QueryCommand implements Callable<Integer> {
  // 128 + SIGPIPE, as for a program that writes without a reader.
  static final int OUTPUT_CLOSED = 141;

  private static final Pattern EXPLAIN =
      Pattern.compile("^\\s*EXPLAIN\\b", Pattern.CASE_INSENSITIVE);

  @Parameters(paramLabel = "SQL", description = "The query; docs/query.md describes the language.")
  private String sql;

  @Mixin private ArchiveOption archive;

  @Mixin private EnrichOption enrich;

  @Mixin private ConfidenceOption confidence;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private OutputFormat format;

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description = {
        "The value of a parameter :NAME; given again, one more for a list. A number, TRUE, FALSE,"
            + " NULL, a time, a duration ('5 minutes') or an address; all else, and what is in"
            + " single quotes, is a text.",
      })
  private List<String> parameters = List.of();

  @Option(names = "--threads", defaultValue = "1", description = "Threads; default 1.")
  private int threads;

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = "Give up after this many seconds.")
  private Optional<Integer> timeLimit = Optional.empty();

  @Option(
      names = "--row-limit",
      paramLabel = "N",
      description = "Give up if more flows would have to be examined.")
  private long rowLimit = Long.MAX_VALUE;

  @Option(
      names = "--byte-limit",
      paramLabel = "N",
      description = "Give up if more bytes of columns have been read.")
  private long byteLimit = Long.MAX_VALUE;

  @Option(
      names = "--explain",
      description = {
        "Answer the query and show, in place of its rows, how each segment was read; the word"
            + " EXPLAIN before the query does the same."
      })
  private boolean explain;

  @Option(names = "--no-verify", description = "Skip checksums: faster, but damage may go unseen.")
  private boolean unverified;

  @Option(
      names = {"-v", "--verbose"},
      description = "Say what was read and which files were joined, whatever the format.")
  private boolean verbose;

  private final long now = FlowTime.now();

  @Override
  public Integer call() throws IOException {
    // Of the same length, so that places in errors stay right.
    Matcher word = EXPLAIN.matcher(sql);
    boolean explained = explain || word.find();
    String text = word.replaceFirst(found -> " ".repeat(found.group().length()));
    if (threads < 1 || timeLimit.orElse(1) < 1 || rowLimit < 1 || byteLimit < 1) {
      throw new UsageException(
          "--threads, --time-limit, --row-limit and --byte-limit are at least 1");
    }
    QueryOptions options =
        QueryOptions.DEFAULTS
            .withThreads(threads)
            .withVerifyChecksums(!unverified)
            .withExplain(explained)
            .withRowLimit(rowLimit)
            .withByteLimit(byteLimit);
    if (timeLimit.isPresent()) {
      options = options.withTimeLimit(Duration.ofSeconds(timeLimit.get()));
    }
    try (ArchiveSnapshots asked = open(text)) {
      Query query = query(text); // afterwards, as an archive has columns of its own
      EnrichmentFiles files = enrich.open(query);
      options = options.withEnrichment(files);
      PrintWriter out = new PrintWriter(format.stream(System.out), false, StandardCharsets.UTF_8);
      RowWriter writer = format.writer(explained ? List.of() : query.shown(), out);
      StreamedAnswer answer =
          ArchiveQuery.stream(asked.all(), query, options, explained ? rows -> {} : writer::rows);
      if (explained) {
        writer.rows(Explanation.table(answer.stats()));
      }
      int left = writer.end();
      ClosedOutputException.check(out);
      tell(asked, query, explained, answer, left);
      tellConfidence(ArchiveConfidence.of(asked.all(), query), isOfNow(text));
      if (verbose || format == OutputFormat.TABLE) {
        files
            .versionsSince(Instant.now(), files.columns(query))
            .forEach(version -> System.err.println("joined: " + version));
      }
    } catch (ClosedOutputException e) {
      return OUTPUT_CLOSED; // whoever closed it knows
    }
    return ExitCodes.DONE;
  }

  /** With the time that the answer is of, so that it can be had again. */
  private void tellConfidence(ArchiveConfidence of, boolean isOfNow) throws IOException {
    List<String> lines = new ArrayList<>();
    if (isOfNow) {
      lines.add("now: " + FlowTime.text(now) + " (--param now=TIME asks of another time)");
    }
    lines.addAll(of.lines());
    Facts facts = of.facts();
    facts.value("now", isOfNow ? FlowTime.text(now) : null);
    confidence.tell(lines, facts);
  }

  /** Whether the answer is of the time at which it was asked for. */
  private boolean isOfNow(String text) {
    boolean isGiven = parameters.stream().anyMatch(one -> one.matches(":?now=.*"));
    return !isGiven && QueryText.parse(text).parameters().contains("now");
  }

  private Query query(String text) {
    return QueryText.bind(QueryText.parse(text), parameters, now);
  }

  private ArchiveSnapshots open(String text) throws IOException {
    try {
      return archive.snapshots();
    } catch (IOException | RuntimeException e) {
      query(text); // if the text is wrong, too, that is told
      throw e;
    }
  }

  private void tell(
      ArchiveSnapshots asked, Query query, boolean explained, StreamedAnswer answer, int left)
      throws IOException {
    if (left > 0) {
      System.err.println(
          left + " columns are NULL in every row and left out; --format csv and json have all");
    }
    answer.stats().warnings().forEach(warning -> System.err.println("warning: " + warning));
    approximate(query, answer).forEach(line -> System.err.println("approximate: " + line));
    if (explained) {
      System.err.println(Explanation.left(answer.stats()));
      if (query.having() != null) {
        System.err.println(Explanation.having(query, answer.rows()));
      }
    }
    if (verbose || format == OutputFormat.TABLE) {
      System.err.println(summary(answer.rows(), answer.stats()));
      asked.fetched().forEach(System.err::println);
    }
  }

  private static List<String> approximate(Query query, StreamedAnswer answer) {
    Map<String, ErrorBound> bounds = new HashMap<>();
    answer.bounds().forEach(one -> bounds.put(one.value(), one.bound()));
    List<ReportApproximation> all = new ArrayList<>();
    for (Approximation one : Approximation.of(query)) {
      ErrorBound bound = bounds.get(one.what().toString());
      all.add(ReportApproximation.of(one, bound, one.exact().toString()));
    }
    return ReportText.errors(all);
  }

  static String summary(long rows, QueryStats stats) {
    return String.format(
        "%,d %s in %.1f ms; read %d of %d segments (%d by index, %d by sums), examined %d of %d"
            + " flows, %,d bytes",
        rows,
        rows == 1 ? "row" : "rows",
        stats.nanos() / 1e6,
        stats.segmentsRead(),
        stats.segmentsTotal(),
        stats.segmentsByIndex(),
        stats.segmentsByRollup(),
        stats.rowsExamined(),
        stats.rowsTotal(),
        stats.bytesRead());
  }
}
