package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.RowSink;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.deploy.output.ClosedOutputException;
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

/**
 * A query with what its answer is printed like: the same from an archive, in the shell and by a
 * server.
 *
 * @param text without the word EXPLAIN, of the same length
 * @param isExplained whether its plan is printed in place of its rows
 * @param parameters {@code NAME=VALUE} each
 * @param isVerbose whether what was read is told in any format
 * @param now what NOW() is, in microseconds
 */
public record PrintedQuery(
    String text,
    boolean isExplained,
    List<String> parameters,
    OutputFormat format,
    boolean isVerbose,
    long now) {
  private static final Pattern EXPLAIN =
      Pattern.compile("^\\s*EXPLAIN\\b", Pattern.CASE_INSENSITIVE);

  public PrintedQuery {
    parameters = List.copyOf(parameters);
  }

  /** The word EXPLAIN before the query does the same as {@code isExplained}. */
  public static PrintedQuery of(
      String sql,
      boolean isExplained,
      List<String> parameters,
      OutputFormat format,
      boolean isVerbose) {
    Matcher word = EXPLAIN.matcher(sql);
    boolean isWritten = word.find();
    return new PrintedQuery(
        word.replaceFirst(found -> " ".repeat(found.group().length())),
        isExplained || isWritten,
        parameters,
        format,
        isVerbose,
        FlowTime.now());
  }

  /** Takes what is printed. */
  public interface Output {
    /** The rows, which go to standard output. */
    PrintWriter rows();

    /** A line for standard error. */
    void note(String line);

    /** How far the answer can be trusted: in words and as facts. */
    void confidence(List<String> lines, Facts facts) throws IOException;
  }

  /** Who answers: this process, or a cluster. */
  @FunctionalInterface
  public interface Answering {
    /** As {@link ArchiveQuery#stream}. */
    StreamedAnswer answer(
        List<ArchiveSnapshot> archives, Query query, QueryOptions options, RowSink sink)
        throws IOException;
  }

  /** Throws {@code UsageException} if a parameter has no value, or a value no parameter. */
  public Query bind(Query parsed) {
    return QueryText.bind(parsed, parameters, now);
  }

  /**
   * Answers and prints the query.
   *
   * @param parsed its text, parsed
   * @param fetched lines about what was fetched of other stores
   */
  public StreamedAnswer print(
      List<ArchiveSnapshot> archives,
      Query parsed,
      EnrichmentFiles files,
      QueryOptions options,
      SamplingRates rates,
      Supplier<List<String>> fetched,
      Output out)
      throws IOException {
    return print(archives, parsed, files, options, rates, fetched, ArchiveQuery::stream, out);
  }

  /** As above, answered by another. */
  StreamedAnswer print(
      List<ArchiveSnapshot> archives,
      Query parsed,
      EnrichmentFiles files,
      QueryOptions options,
      SamplingRates rates,
      Supplier<List<String>> fetched,
      Answering answering,
      Output out)
      throws IOException {
    Query query = bind(parsed);
    RowWriter writer = format.writer(isExplained ? List.of() : query.shown(), out.rows());
    StreamedAnswer answer =
        answering.answer(
            archives,
            query,
            options.withExplain(isExplained).withEnrichment(files),
            isExplained ? rows -> {} : writer::rows);
    if (isExplained) {
      writer.rows(Explanation.table(answer.stats()));
    }
    int left = writer.end();
    ClosedOutputException.check(out.rows());
    tell(query, answer, left, out);
    if (isTold()) {
      fetched.get().forEach(out::note);
    }
    tellConfidence(ArchiveConfidence.of(archives, query, rates), isOfNow(parsed), out);
    if (isTold()) {
      files
          .versionsSince(Instant.now(), files.columns(query))
          .forEach(version -> out.note("joined: " + version));
    }
    return answer;
  }

  private boolean isTold() {
    return isVerbose || format == OutputFormat.TABLE;
  }

  /** Whether the answer is of the time at which it was asked for. */
  private boolean isOfNow(Query parsed) {
    boolean isGiven = parameters.stream().anyMatch(one -> one.matches(":?now=.*"));
    return !isGiven && parsed.parameters().contains("now");
  }

  /** With the time that the answer is of, so that it can be had again. */
  private void tellConfidence(ArchiveConfidence of, boolean isOfNow, Output out)
      throws IOException {
    List<String> lines = new ArrayList<>();
    if (isOfNow) {
      lines.add("now: " + FlowTime.text(now) + " (--param now=TIME asks of another time)");
    }
    lines.addAll(of.lines());
    Facts facts = of.facts();
    facts.value("now", isOfNow ? FlowTime.text(now) : null);
    out.confidence(lines, facts);
  }

  private void tell(Query query, StreamedAnswer answer, int left, Output out) {
    if (left > 0) {
      out.note(
          left + " columns are NULL in every row and left out; --format csv and json have all");
    }
    answer.stats().warnings().forEach(warning -> out.note("warning: " + warning));
    approximate(query, answer).forEach(line -> out.note("approximate: " + line));
    if (isExplained) {
      out.note(Explanation.left(answer.stats()));
      if (query.having() != null) {
        out.note(Explanation.having(query, answer.rows()));
      }
    }
    if (isTold()) {
      out.note(summary(answer.rows(), answer.stats()));
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
