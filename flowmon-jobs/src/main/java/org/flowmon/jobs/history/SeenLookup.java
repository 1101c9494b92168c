package org.flowmon.jobs.history;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.host.LastSeen;
import org.flowmon.archive.host.SeenHosts;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.WindowTime;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * Looks up for {@link SeenCall} which addresses of a window's rows have flows in the time before
 * it: all of a window at once, over one snapshot. The answer has a row for each call, by its place,
 * and address of which it is certain: {@code seen} is TRUE if there is such a flow, FALSE if there
 * is none and history covers all of the time. An address without a row may or may not have one.
 */
public final class SeenLookup {
  /** The calls of an analysis's report. */
  public interface Calls extends Function<AnalysisConfig, List<SeenCall>>, Serializable {}

  private static final String CALL = "call";
  private static final String ADDRESS = "address";
  private static final String SEEN = "seen";

  private final List<SeenCall> calls;
  private final boolean isOfArrivals;
  private final long delayMicros;

  /** {@code delay}: how long as-of lies before a window's end, µs. */
  SeenLookup(List<SeenCall> calls, AnalysisConfig.Live live, long delayMicros) {
    this.calls = List.copyOf(calls);
    this.isOfArrivals = live.time() == WindowTime.ARRIVAL;
    this.delayMicros = delayMicros;
  }

  boolean isEmpty() {
    return calls.isEmpty();
  }

  /**
   * Later arrivals are not seen. Not before the window begins, or nothing could be new: flows of
   * the instants before would be missing.
   */
  long asOf(WindowResult window) {
    return isOfArrivals
        ? window.windowStart() - 1
        : Math.max(window.windowStart(), window.windowEnd() - delayMicros);
  }

  /** What the flows that are looked for meet. */
  Constraints filter(WindowResult window) {
    return Constraints.of(
        new Expression.Comparison(
            Expression.ComparisonOperator.GREATER_OR_EQUAL,
            new Expression.Column(FlowColumn.END_TIME),
            new Expression.Literal(Value.ofTimestamp(first(window)))));
  }

  private long first(WindowResult window) {
    return window.windowStart() - calls.stream().mapToLong(SeenCall::pastMicros).max().orElse(0);
  }

  /** Flows of windows by arrival are told apart by it alone. */
  private long before(WindowResult window) {
    return isOfArrivals ? Long.MAX_VALUE : window.windowStart();
  }

  /**
   * Adds the addresses that are found to an answer.
   *
   * @param reach what history covers as of {@link #asOf}
   * @param check called for each address, and may throw to end the lookup
   */
  HistoryAnswer addTo(
      HistoryAnswer answer,
      ArchivesSnapshot snapshot,
      WindowResult window,
      HistoryAnswer reach,
      Runnable check)
      throws IOException {
    Set<IpAddress> asked = new LinkedHashSet<>();
    calls.forEach(call -> asked.addAll(addresses(window.rows(), call)));
    List<LastSeen> hosts =
        SeenHosts.last(snapshot.all(), asked, first(window), before(window), asOf(window), check);
    ResultTable.Builder found =
        new ResultTable.Builder()
            .column(CALL, ValueKind.LONG)
            .column(ADDRESS, ValueKind.ADDRESS)
            .column(SEEN, ValueKind.BOOLEAN);
    Set<IpAddress> unknown = new LinkedHashSet<>();
    for (int c = 0; c < calls.size(); c++) {
      long from = window.windowStart() - calls.get(c).pastMicros();
      boolean isCovered = reach.covers(from, Math.min(before(window), asOf(window)));
      Set<IpAddress> own = addresses(window.rows(), calls.get(c));
      for (LastSeen host : hosts) {
        boolean isSeen = host.isSince(from);
        IpAddress address = host.address();
        if (own.contains(address) && (isSeen || isCovered)) {
          found.row().set(0, c).set(1, address.hi(), address.lo()).set(2, isSeen ? 1 : 0);
        } else if (own.contains(address)) {
          unknown.add(address);
        }
      }
    }
    return answer.withSeen(
        found.build(), unknown.isEmpty() ? reach : reach.otherwise(uncovered(unknown)));
  }

  private static String uncovered(Set<IpAddress> unknown) {
    return "history does not cover all of the time that SEEN asks for: "
        + (unknown.size() == 1
            ? "whether 1 address is new is not known"
            : "of " + unknown.size() + " addresses it is not known whether they are new");
  }

  private static Set<IpAddress> addresses(ResultTable rows, SeenCall call) {
    Set<IpAddress> all = new LinkedHashSet<>();
    for (int column : call.columns()) {
      for (int row = 0; row < rows.rowCount(); row++) {
        if (!rows.isNull(row, column)) {
          Value value = rows.value(row, column);
          all.add(new IpAddress(value.high(), value.low()));
        }
      }
    }
    return all;
  }

  /** The addresses of an answer that have flows, or that are known to have none. */
  public static List<Value> addresses(HistoryAnswer answer, int call, boolean isSeen) {
    List<Value> all = new ArrayList<>();
    if (answer.seen().isPresent()) {
      ResultTable table = answer.seen().get();
      for (int row = 0; row < table.rowCount(); row++) {
        if (table.longValue(row, 0) == call && (table.longValue(row, 2) != 0) == isSeen) {
          all.add(table.value(row, 1));
        }
      }
    }
    return all;
  }
}
