package org.flowmon.deploy.analysis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.window.WindowLengths;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * The exact number of flows per group, in windows of several lengths, over an archive's latest
 * flows. A window's cost beyond its flows (messages, memory, lookups, rows) depends on its groups:
 * it is long enough if a group has several flows.
 */
final class WindowReduction {
  private static final long SECOND = 1_000_000;

  private final List<Measured> measured;
  private final long ownMicros;

  /** The filtered flows in windows of one length, and the groups of all these windows together. */
  public record Measured(long micros, long flows, long groups) {
    /** Flows per group, 0 if there are no flows. */
    public double flowsPerGroup() {
      return groups == 0 ? 0 : flows / (double) groups;
    }
  }

  private WindowReduction(List<Measured> measured, long ownMicros) {
    this.measured = measured;
    this.ownMicros = ownMicros;
  }

  /** The largest arrival of an archive, microseconds; empty if it holds no flows. */
  public static Optional<Long> lastArrival(ArchiveSnapshot snapshot, QueryOptions options)
      throws IOException {
    ResultTable last =
        ArchiveQuery.run(
                snapshot, QueryParser.parse("SELECT MAX(arrival) AS last FROM flows"), options)
            .table();
    return last.isNull(0, 0) ? Optional.empty() : Optional.of(last.longValue(0, 0));
  }

  /**
   * Counts for each live query over flows, in windows of the analysis's own length and of others up
   * to {@code sample}, the time before {@code last}, the largest arrival.
   */
  public static WindowReduction of(
      ArchiveSnapshot snapshot,
      AnalysisConfig analysis,
      long last,
      Duration sample,
      QueryOptions options)
      throws IOException {
    List<FlowQuery> leaves = QueryParser.parseQuery(analysis.live().query()).leaves();
    long sampleMicros = sample.toNanos() / 1000;
    long own =
        leaves.stream()
            .mapToLong(live -> WindowLengths.own(live, analysis.live().windowMicros()))
            .min()
            .orElseThrow();
    TreeSet<Long> lengths = new TreeSet<>();
    WindowLengths.SECONDS.forEach(seconds -> lengths.add(seconds * SECOND));
    lengths.add(own);
    lengths.removeIf(length -> length > sampleMicros);
    List<Measured> measured = new ArrayList<>();
    for (long length : lengths) {
      long flows = 0;
      long all = 0;
      for (FlowQuery live : leaves) {
        Expression where = sampled(live.where(), last, sampleMicros);
        FlowQuery counted = counted(live, where, analysis.live().time().column(), length);
        ResultTable groups = ArchiveQuery.run(snapshot, counted, options).table();
        all += groups.rowCount();
        for (int row = 0; row < groups.rowCount(); row++) {
          flows += groups.longValue(row, 0);
        }
      }
      measured.add(new Measured(length, flows, all));
    }
    return new WindowReduction(measured, own);
  }

  private static Expression sampled(@Nullable Expression where, long last, long sampleMicros) {
    Expression arrived =
        new Comparison(
            ComparisonOperator.GREATER,
            new Column(FlowColumn.ARRIVAL),
            new Literal(Value.ofTimestamp(last - sampleMicros)));
    return where == null ? arrived : new And(List.of(where, arrived));
  }

  private static FlowQuery counted(
      FlowQuery live, Expression where, FlowColumn time, long lengthMicros) {
    List<Expression> keys = new ArrayList<>(live.groupBy());
    keys.removeIf(TimeBucket.class::isInstance); // of slides, which the windows replace
    keys.add(new TimeBucket(new Column(time), lengthMicros));
    return new FlowQuery(
        List.of(new SelectItem("flows", new AggregateCall(AggregateFunction.COUNT, List.of()))),
        where,
        keys,
        List.of(),
        -1);
  }

  /** Empty if the analysis's own length is longer than the sample. */
  public Optional<Measured> own() {
    return measured.stream().filter(one -> one.micros() == ownMicros).findFirst();
  }

  /** The shortest windows with so many flows per group on average; empty if there are none. */
  public Optional<Measured> recommended(double flowsPerGroup) {
    return measured.stream().filter(one -> one.flowsPerGroup() >= flowsPerGroup).findFirst();
  }

  public Measured longest() {
    return measured.get(measured.size() - 1);
  }
}
