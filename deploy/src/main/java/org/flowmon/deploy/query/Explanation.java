package org.flowmon.deploy.query;

import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.plan.SegmentAccess;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Explains how a query was answered, segment by segment. */
final class Explanation {
  private static final String[] COUNTS = {
    "pieces", "flows", "examined", "kept", "values", "sums", "bytes"
  };

  private Explanation() {}

  /** Returns a row for each opened segment. */
  static ResultTable table(QueryStats stats) {
    ResultTable.Builder builder =
        new ResultTable.Builder().column("segment", ValueKind.TEXT).column("by", ValueKind.TEXT);
    for (String count : COUNTS) {
      builder.column(count, ValueKind.LONG);
    }
    for (SegmentAccess access : stats.accesses()) {
      builder.row().set(0, access.segment()).set(1, access.way().toString());
      builder.set(2, access.pieces());
      builder.set(3, access.rows());
      builder.set(4, access.rowsExamined());
      builder.set(5, access.rowsMatched());
      builder.set(6, access.valuesDecided());
      builder.set(7, access.cells());
      builder.set(8, access.bytesRead());
    }
    return builder.build();
  }

  /** Explains why the other segments were not opened. */
  static String left(QueryStats stats) {
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

  /** Explains the effect of HAVING on the groups. */
  static String having(Query query, long rows) {
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
