package org.flowmon.jobs.replay;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.value.Value;

/** The flows of a replay, sliced by the time of its windows. */
interface ReplaySlices extends Closeable {
  /** Takes flows. */
  @FunctionalInterface
  interface Flows {
    /** The rows are valid during the call. */
    void take(FlowRows rows, int from, int count) throws IOException;
  }

  /**
   * Gives the next slice's flows. Returns the start, in microseconds, of the one after: all flows
   * of windows that end there or before were given.
   */
  long next(Flows flows) throws IOException;

  /** {@code position}: start of the first, at a multiple of the windows' slide. */
  static ReplaySlices of(ReplaySpec spec, List<ArchiveSnapshot> snapshots, long position)
      throws IOException {
    return spec.isByArrival()
        ? new ArrivalSlices(spec, snapshots, position, ArrivalSlices.ROWS)
        : new EndTimeSlices(spec, snapshots, position);
  }

  static FlowScan.Builder scan(ReplaySpec spec, List<ArchiveSnapshot> snapshots) {
    FlowScan.Builder scan = FlowScan.of(snapshots);
    spec.columns().forEach(column -> scan.columns(column));
    return scan;
  }

  static Expression within(FlowColumn time, long from, long to) {
    return new Expression.And(
        List.of(
            compared(time, ComparisonOperator.GREATER_OR_EQUAL, from),
            compared(time, ComparisonOperator.LESS, to)));
  }

  private static Expression compared(FlowColumn time, ComparisonOperator how, long micros) {
    return new Expression.Comparison(
        how, new Expression.Column(time), new Expression.Literal(Value.ofTimestamp(micros)));
  }
}
