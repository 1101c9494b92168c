package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;

/**
 * The windows of a query over the results of others, its leaves, which have the same windows. The
 * whole has a result if all leaves are whole and one has news. A leaf without groups counts as a
 * query over no flows. If none has any, there is a result without rows if a flow arrived or is
 * known to be lost. If one has more groups than the analysis may hold, the result has none. Without
 * state: each leaf has its windows.
 */
final class JoinedWindows implements ClosingWindows {
  /** The task of all windows does nothing else meanwhile; above, the analysis is stopped. */
  private static final int MAX_JOIN_ROWS = 1_000_000;

  private final Query query;
  private final List<OpenWindows> leaves;
  private final WindowSpec window;
  private final Counter revisions;

  /** {@code leaves}: at least one; {@code revisions} counts results that replace an earlier one. */
  JoinedWindows(List<OpenWindows> leaves, Counter revisions) {
    LiveQuery first = leaves.get(0).live();
    this.query = first.whole();
    this.window = first.window();
    this.leaves = List.copyOf(leaves);
    this.revisions = revisions;
  }

  @Override
  public void closeUpTo(long completeThrough, Consumer<WindowResult> results) {
    for (long end : ends()) {
      if (window.firstResultAt(end) > completeThrough) {
        break;
      }
      next(end, completeThrough, results);
    }
    leaves.forEach(leaf -> leaf.forget(completeThrough));
  }

  @Override
  public void closeAtEnd(Consumer<WindowResult> results) {
    for (long end : ends()) {
      next(end, Long.MAX_VALUE, results);
      leaves.forEach(leaf -> leaf.closeEarly(end));
    }
  }

  private SortedSet<Long> ends() {
    TreeSet<Long> ends = new TreeSet<>();
    leaves.forEach(leaf -> ends.addAll(leaf.ends()));
    return ends;
  }

  private void next(long end, long watermark, Consumer<WindowResult> results) {
    boolean hasNews = false;
    boolean isWhole = true;
    boolean isFirst = true;
    for (OpenWindows leaf : leaves) {
      Optional<OpenWindow> open = leaf.of(end);
      if (open.isPresent()) {
        isFirst &= open.get().published() == Long.MIN_VALUE;
        hasNews |= open.get().hasNews(watermark); // each takes in its waiting updates
        isWhole &= open.get().isWhole(watermark);
      }
    }
    if (!hasNews || !isWhole) {
      return;
    }
    revisions.inc(isFirst ? 0 : 1);
    results.accept(result(end, window.completeThrough(end, watermark)));
  }

  private WindowResult result(long end, long through) {
    long start = end - window.widthMicros();
    Map<FlowQuery, ResultTable> answers = new HashMap<>();
    Map<String, ErrorBound> bounds = new LinkedHashMap<>();
    long groups = 0;
    boolean hasAllGroups = true;
    boolean hasGroups = false;
    SortedSet<String> missing = new TreeSet<>();
    for (OpenWindows leaf : leaves) {
      missing.addAll(leaf.missing(through));
      FlowQuery of = leaf.live().query();
      Optional<WindowPart> part =
          leaf.of(end).flatMap(open -> open.publish(through)).map(leaf::settled);
      if (part.isPresent()) {
        hasGroups = true;
        hasAllGroups &= part.get().level() == 0;
        groups += Math.max(0, part.get().estimatedGroups());
        GroupAnswer.WithBounds answer = part.get().answer();
        answers.put(of, answer.rows());
        answer.bounds().forEach(one -> bounds.merge(one.value(), one.bound(), ValueBound::larger));
      } else {
        answers.put(of, FlowQueries.run(List.of(), of));
      }
    }
    ArrivalCounts counts =
        leaves.stream()
            .map(leaf -> leaf.arrived(start, end))
            .reduce(ArrivalCounts::beside)
            .orElseThrow();
    Query whole = AnalysisConfig.Live.at(query, end);
    // If a leaf has only some groups, their partners in others are unknown: no row. Nor without
    // any.
    ResultTable rows =
        hasAllGroups && hasGroups
            ? NestedQueries.answer(
                whole, leaf -> Objects.requireNonNull(answers.get(leaf)), MAX_JOIN_ROWS, () -> {})
            : FlowQueries.run(List.of(), whole).withRows(new int[0]);
    WindowResult result =
        new WindowResult(
            leaves.get(0).live().analysis().name(),
            null,
            start,
            end,
            window.update(end, through),
            through,
            end + window.latenessMicros(),
            rows,
            new ResultTable.Builder().build(),
            groups,
            hasAllGroups ? 0 : WindowResult.NO_GROUPS,
            counts);
    List<ValueBound> all = new ArrayList<>();
    bounds.forEach((value, bound) -> all.add(new ValueBound(value, bound)));
    return result.withBounds(all).withMissing(List.copyOf(missing));
  }
}
