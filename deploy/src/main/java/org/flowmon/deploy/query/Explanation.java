package org.flowmon.deploy.query;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Explains how a query was answered: the tree of its plan, with the segments as leaves. */
public final class Explanation {
  private record Count(String name, ToLongFunction<SegmentAccess> of) {}

  private static final List<Count> COUNTS =
      List.of(
          new Count("pieces", SegmentAccess::pieces),
          new Count("flows", SegmentAccess::rows),
          new Count("planned", SegmentAccess::rowsPlanned),
          new Count("examined", SegmentAccess::rowsExamined),
          new Count("kept", SegmentAccess::rowsMatched),
          new Count("values", SegmentAccess::valuesDecided),
          new Count("sums", SegmentAccess::cells),
          new Count("planned_bytes", SegmentAccess::bytesPlanned),
          new Count("bytes", SegmentAccess::bytesRead));

  private Explanation() {}

  /** Counts of a step are those of the segments below it. */
  static ResultTable table(QueryStats stats) {
    ResultTable.Builder builder =
        new ResultTable.Builder().column("step", ValueKind.TEXT).column("by", ValueKind.TEXT);
    COUNTS.forEach(count -> builder.column(count.name(), ValueKind.LONG));
    for (PlanStep plan : stats.plans()) {
      for (PlanStep.Line line : plan.lines()) {
        builder.row().set(0, line.text());
        line.step().segment().ifPresent(access -> builder.set(1, access.way().toString()));
        int column = 2;
        for (long count : counts(line.step()).values()) {
          builder.set(column++, count);
        }
      }
    }
    return builder.build();
  }

  /** By name, of the segments below a step. */
  public static Map<String, Long> counts(PlanStep step) {
    Map<String, Long> counts = new LinkedHashMap<>();
    COUNTS.forEach(count -> counts.put(count.name(), step.accesses().mapToLong(count.of()).sum()));
    return counts;
  }

  public static String left(QueryStats stats) {
    int others =
        stats.segmentsTotal()
            - stats.segmentsConsidered()
            - stats.segmentsByDirectory()
            - stats.segmentsByDays();
    return stats.segmentsTotal()
        + " segments: "
        + stats.segmentsByDirectory()
        + " left out by the host directory, "
        + days(stats)
        + others
        + " by their times or since the answer was complete, "
        + stats.segmentsConsidered()
        + " opened";
  }

  public static String having(Query query, long rows) {
    return "of the groups, once each was whole, those were kept for which "
        + query.having()
        + ": "
        + rows
        + (query.limit() < 0 ? " rows" : " rows, at most " + query.limit());
  }

  private static String days(QueryStats stats) {
    return stats.dayRuns() == 0
        ? ""
        : String.format(
            "%d answered by %d day sums in %d runs, ",
            stats.segmentsByDays(), stats.days(), stats.dayRuns());
  }
}
