package org.flowmon.jobs.report.logic;

import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/**
 * The times before {@code :now} that a history query's filters on {@code end_time} ask for, those
 * of all its queries over flows, and their part inside history: the divisor that makes a sum over
 * the past a rate.
 */
final class PastRange {
  // To see whether the filter bounds end_time at all.
  private static final long SOME_TIME = 1_800_000_000_000_000L;

  private final AnalysisConfig.History config;
  private final Query query;
  private final Parameters live;

  private PastRange(AnalysisConfig.History config, Query query, Parameters live) {
    this.config = config;
    this.query = query;
    this.live = live;
  }

  /** Throws {@code ConfigException} if the query does not bound {@code end_time} from below. */
  static PastRange of(AnalysisConfig analysis, Query history, List<ReportColumn> columns) {
    Parameters live = Parameters.NONE;
    for (ReportColumn column : columns) {
      // Their values do not affect times.
      live = live.with("live." + column.name(), new Value(column.kind(), 0, 0, ""));
    }
    PastRange range = new PastRange(analysis.requiredHistory(), history, live);
    LongRanges times;
    try {
      times = range.times(SOME_TIME);
    } catch (QueryException e) {
      throw analysis.error("history.query", e);
    }
    if (!times.isEmpty() && times.first(0) == Long.MIN_VALUE) {
      throw analysis.error(
          "history.query",
          "expected WHERE end_time >= :now - INTERVAL '7' DAY, or another time from which on: %s says how much of it history holds"
              .formatted(analysis.report().title()));
    }
    return range;
  }

  private LongRanges times(long now) {
    LongRanges all = LongRanges.NONE;
    for (FlowQuery bound : query.bind(live.with("now", Value.ofTimestamp(now))).overFlows()) {
      LongRanges times = Constraints.of(bound.where()).longs(FlowColumn.END_TIME);
      LongRanges past = LongRanges.of(Long.MIN_VALUE, now - 1);
      all = all.or(times == null ? past : times.and(past));
    }
    return all;
  }

  Held held(WindowHistory window) {
    LongRanges times = times(config.now(window.window().windowEnd()));
    long asked = length(times);
    long held = length(window.history().held(times));
    return new Held(held, asked == 0 ? 0 : (double) held / asked);
  }

  private static long length(LongRanges ranges) {
    long length = 0;
    for (int i = 0; i < ranges.count(); i++) {
      length += ranges.last(i) - ranges.first(i) + 1;
    }
    return length;
  }

  /** The times inside history in microseconds, and their share of those asked for, 0 … 1. */
  record Held(long micros, double share) {}
}
