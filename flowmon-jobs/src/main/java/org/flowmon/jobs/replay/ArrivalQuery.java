package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * The arrival counts of a live query by pane, from an archive: by the rules of {@link WindowSpec}
 * equal to the low level's, in whatever order a replay reads. Losses before the archive are
 * unknown.
 */
final class ArrivalQuery {
  private static final Expression ARRIVAL = new Expression.Column(FlowColumn.ARRIVAL);
  private static final Expression START = new Expression.Column(FlowColumn.START_TIME);
  private static final Expression END = new Expression.Column(FlowColumn.END_TIME);
  private static final Expression RATE = new Expression.Column(FlowColumn.SAMPLING_RATE);
  private static final Expression ONE = new Expression.Literal(Value.ofLong(1));

  private final LiveQuery live;
  private final WindowSpec window;

  ArrivalQuery(LiveQuery live) {
    this.live = live;
    this.window = live.window();
  }

  LiveQuery live() {
    return live;
  }

  /** Counts of panes that start in [from, to), in microseconds; none without arrivals. */
  SortedMap<Long, ArrivalCounts> counts(List<ArchiveSnapshot> snapshots, long from, long to)
      throws IOException {
    ResultTable table = ArchiveQuery.run(snapshots, query(from, to), QueryOptions.DEFAULTS).table();
    SortedMap<Long, ArrivalCounts> counts = new TreeMap<>();
    for (int row = 0; row < table.rowCount(); row++) {
      long rate = table.isNull(row, 5) ? 0 : table.longValue(row, 5);
      ArrivalCounts of =
          new ArrivalCounts(
              table.longValue(row, 1),
              table.longValue(row, 2),
              table.longValue(row, 3),
              0,
              table.longValue(row, 4),
              rate);
      counts.put(table.longValue(row, 0), of);
    }
    return counts;
  }

  private FlowQuery query(long from, long to) {
    Expression pane = new Expression.TimeBucket(ARRIVAL, window.slideMicros());
    Expression ahead = isAhead();
    Expression late = and(new Expression.Not(ahead), isLate());
    Expression sampled = compared(RATE, ComparisonOperator.GREATER, ONE);
    List<SelectItem> items = new ArrayList<>();
    items.add(new SelectItem("pane", pane));
    items.add(new SelectItem("flows", new AggregateCall(AggregateFunction.COUNT, List.of())));
    items.add(new SelectItem("late", count(late)));
    items.add(new SelectItem("ahead", count(ahead)));
    items.add(new SelectItem("sampled", count(sampled)));
    items.add(
        new SelectItem("rate", new AggregateCall(AggregateFunction.MAX, ifSo(sampled, RATE))));
    List<Expression> where = new ArrayList<>();
    where.add(ReplaySlices.within(FlowColumn.ARRIVAL, from, to));
    if (live.query().where() != null) {
      where.add(live.query().where());
    }
    return new FlowQuery(items, new Expression.And(where), List.of(pane), List.of(), -1);
  }

  private static Expression count(Expression condition) {
    return new AggregateCall(AggregateFunction.COUNT, ifSo(condition, ONE));
  }

  private Expression time() {
    return window.timeColumn() == FlowColumn.ARRIVAL
        ? ARRIVAL
        : choice(new Expression.IsNull(END), ARRIVAL, END);
  }

  private Expression isAhead() {
    return compared(time(), ComparisonOperator.GREATER, plus(ARRIVAL, window.aheadMicros()));
  }

  /** Too late for the last of its windows; of a divided flow, of its last share. */
  private Expression isLate() {
    Expression last = time();
    if (window.spread()) {
      // It is divided among the panes of [start, end).
      last = choice(isDivided(), plus(END, -1), last);
    }
    Expression pane = new Expression.TimeBucket(last, window.slideMicros());
    long open = window.widthMicros() + window.latenessMicros();
    return compared(ARRIVAL, ComparisonOperator.GREATER, plus(pane, open));
  }

  private static Expression isDivided() {
    Expression earliest = plus(END, -WindowSpec.MAX_FLOW_MICROS);
    return and(
        compared(START, ComparisonOperator.LESS, END),
        compared(START, ComparisonOperator.GREATER_OR_EQUAL, earliest));
  }

  private static Expression and(Expression a, Expression b) {
    return new Expression.And(List.of(a, b));
  }

  private static Expression compared(Expression a, ComparisonOperator how, Expression b) {
    return new Expression.Comparison(how, a, b);
  }

  private static Expression plus(Expression time, long micros) {
    Expression duration = new Expression.Literal(Value.ofDuration(micros));
    return new Expression.Arithmetic(ArithmeticOperator.ADD, time, duration, ValueKind.TIMESTAMP);
  }

  private static Expression ifSo(Expression condition, Expression result) {
    return choice(condition, result, new Expression.Literal(Value.NULL));
  }

  private static Expression choice(Expression condition, Expression then, Expression otherwise) {
    return new Expression.Case(List.of(new When(condition, then)), otherwise, then.kind());
  }
}
