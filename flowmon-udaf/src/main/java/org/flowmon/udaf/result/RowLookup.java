package org.flowmon.udaf.result;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledExpressions;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.order.Checked;
import org.flowmon.udaf.order.FirstRows;
import org.flowmon.udaf.order.RowSort;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Keeps rows of a query without aggregates that are within ORDER BY … LIMIT. Selected values break
 * ties, so that the order of offering does not matter; without ORDER BY the first rows are kept.
 * Not thread-safe.
 */
public final class RowLookup {
  private static final int SLACK = 4096;

  private final FlowQuery query;
  private final CompiledExpressions together;
  private final long limit;
  // The selected columns, then those of ORDER BY.
  private final Expression[] what;
  private final ValueColumn[] columns;
  // Made for the first row: a lookup that finds nothing, such as an absent host, ends sooner.
  private CompiledExpression[] expressions = {};
  // One for each kind: values are copied before the next column is evaluated.
  private Vector[] vectors = {};
  private int rows;
  // Of a row while sorting: its key, its number, and a copy of both.
  private static final int ORDER_BYTES = 24;

  private final MemoryDraw memory;
  private long taken; // by the columns

  /**
   * A lookup for a bound query.
   *
   * @throws QueryException if it has aggregates
   */
  public RowLookup(FlowQuery query) {
    this(query, Map.of(), null);
  }

  /** A lookup whose rows take limited memory, shared with the query's others. */
  public RowLookup(FlowQuery query, @Nullable GroupMemory memory) {
    this(query, Map.of(), memory);
  }

  /** A lookup over other results' rows, in vectors by column; memory null: unlimited. */
  RowLookup(FlowQuery query, Map<Expression, Vector> given, @Nullable GroupMemory memory) {
    this.memory = new MemoryDraw(memory);
    this.together = new CompiledExpressions(given);
    if (query.isAggregated()) {
      throw new QueryException("expected a query of single rows, found " + query);
    }
    this.query = query;
    this.limit = query.limit() < 0 ? Long.MAX_VALUE : query.limit();
    int selected = query.select().size();
    int all = selected + query.orderBy().size();
    this.what = new Expression[all];
    this.columns = new ValueColumn[all];
    for (int c = 0; c < all; c++) {
      what[c] =
          c < selected ? query.select().get(c).what() : query.orderBy().get(c - selected).what();
      columns[c] = new ValueColumn(what[c].kind());
    }
    if (!query.parameters().isEmpty()) {
      compile(); // throws, naming the parameter without a value
    }
  }

  private void compile() {
    expressions = new CompiledExpression[what.length];
    vectors = new Vector[what.length];
    Map<ValueKind, Vector> ofKind = new HashMap<>();
    for (int c = 0; c < what.length; c++) {
      CompiledExpression expression = together.add(what[c]);
      expressions[c] = expression;
      vectors[c] = ofKind.computeIfAbsent(expression.kind(), kind -> expression.newVector());
    }
  }

  /** Announces the approximate number of rows to be offered. */
  public void expect(int count) {
    for (ValueColumn column : columns) {
      column.expect((int) Math.min(count, limit));
    }
  }

  /** Offers filtered rows: ascending, relative to {@code from}, below {@link Vector#CAPACITY}. */
  public void add(FlowRows flows, int from, int[] selection, int n) {
    if (n == 0 || isComplete()) {
      return;
    }
    if (expressions.length == 0) {
      compile();
    }
    int first = selection[0];
    int count = selection[n - 1] - first + 1;
    together.next();
    int taken = query.orderBy().isEmpty() ? (int) Math.min(n, limit - rows) : n;
    for (int c = 0; c < columns.length; c++) {
      if (what[c] instanceof Expression.Column column
          && flows.presence(column.column()) == Presence.ABSENT) {
        columns[c].appendNulls(taken);
      } else {
        expressions[c].evaluate(flows, from + first, count, vectors[c]);
        append(c, selection, first, taken);
      }
    }
    taken(taken);
  }

  /** Offers rows at ascending places of the {@code count} values in the given vectors. */
  void add(int count, int[] selection, int n) {
    if (n == 0 || isComplete()) {
      return;
    }
    if (expressions.length == 0) {
      compile();
    }
    int taken = query.orderBy().isEmpty() ? (int) Math.min(n, limit - rows) : n;
    together.next();
    for (int c = 0; c < columns.length; c++) {
      expressions[c].evaluate(count, vectors[c]);
      append(c, selection, 0, taken);
    }
    taken(taken);
  }

  /** Appends the values of a column's vector, if the query has the memory. */
  private void append(int c, int[] selection, int shift, int n) {
    if (memory.isLimited()) {
      long before = columns[c].heapBytes();
      long after = columns[c].heapBytesWith(vectors[c], selection, shift, n);
      boolean grows = columns[c].isFullWith(n);
      memory.take(grows ? after : after - before); // both arrays during the copy
      columns[c].append(vectors[c], selection, shift, n);
      memory.take(grows ? -before : 0);
      taken += after - before;
      return;
    }
    columns[c].append(vectors[c], selection, shift, n);
  }

  private void taken(int taken) {
    rows = ResultTable.rows((long) rows + taken);
    if (rows > 2 * limit + SLACK && limit < Integer.MAX_VALUE / 4) {
      keepFirst(memory::check);
    }
  }

  /** Gives back memory that the columns do not use any more. */
  private void giveBack() {
    long bytes = 0;
    for (ValueColumn column : columns) {
      bytes += column.heapBytes();
    }
    memory.take(bytes - taken);
    taken = bytes;
  }

  private void keepFirst(Runnable check) {
    if (rows <= limit) {
      reorder(EachColumn.IN_TURN, check);
      return;
    }
    int[] kept = FirstRows.of(rows, (int) limit, Checked.of(this::compare, check));
    for (ValueColumn column : columns) {
      column.keep(kept, check);
    }
    rows = kept.length;
    giveBack();
  }

  private void reorder(EachColumn each, Runnable check) {
    // Beside the order, all values of a column may be moved at once.
    long bytes = (ORDER_BYTES + 2L * Long.BYTES) * rows;
    memory.take(bytes);
    int[] order = inOrder(check);
    if (!isIdentity(order)) {
      each.run(
          columns.length,
          c -> {
            check.run();
            columns[c].reorder(order, check);
          });
    }
    memory.take(-bytes);
  }

  private static boolean isIdentity(int[] order) {
    for (int i = 0; i < order.length; i++) {
      if (order[i] != i) {
        return false;
      }
    }
    return true;
  }

  private int[] inOrder(Runnable check) {
    OrderItem first = query.orderBy().get(0);
    long[] keys = columns[query.select().size()].sortKeys();
    long[] unsigned = new long[rows]; // without keys all rows are ties
    for (int row = 0; keys.length > 0 && row < rows; row++) {
      long key = keys[row] ^ Long.MIN_VALUE;
      unsigned[row] = first.descending() ? ~key : key;
    }
    return RowSort.sort(unsigned, rows, Checked.of(this::compare, check), check);
  }

  private int compare(int a, int b) {
    int selected = query.select().size();
    for (int o = 0; o < query.orderBy().size(); o++) {
      OrderItem item = query.orderBy().get(o);
      int order = compare(columns[selected + o], a, b, item.descending(), item.nullsFirst());
      if (order != 0) {
        return order;
      }
    }
    for (int c = 0; c < selected; c++) {
      int order = compare(columns[c], a, b, false, false);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compare(
      ValueColumn column, int a, int b, boolean descending, boolean nullsFirst) {
    if (column.isNull(a) || column.isNull(b)) {
      int last = Boolean.compare(column.isNull(a), column.isNull(b));
      return nullsFirst ? -last : last;
    }
    int order = column.compare(a, b);
    return descending ? -order : order;
  }

  /** Whether no further row can change the answer: the limit is 0, or reached without ORDER BY. */
  public boolean isComplete() {
    return limit == 0 || (query.orderBy().isEmpty() && rows >= limit);
  }

  public ResultTable finish() {
    return finish(memory::check);
  }

  /** {@code check} runs now and then, and may throw to end the query. */
  public ResultTable finish(Runnable check) {
    if (!query.orderBy().isEmpty()) {
      keepFirst(check);
    }
    return table();
  }

  /** Does something for each column. */
  @FunctionalInterface
  public interface EachColumn {
    EachColumn IN_TURN =
        (columns, work) -> {
          for (int c = 0; c < columns; c++) {
            work.accept(c);
          }
        };

    /** Runs the work for columns 0 … columns − 1, possibly several at a time. */
    void run(int columns, IntConsumer work);
  }

  /**
   * The answer of several lookups of a query without a limit, used up, as if one was offered their
   * rows in turn.
   *
   * @throws org.flowmon.udaf.value.AnswerTooLargeException if there are more rows than an answer
   *     holds
   */
  public static ResultTable finish(List<RowLookup> parts, EachColumn each, Runnable check) {
    RowLookup all = parts.get(0);
    if (all.query.limit() >= 0) {
      throw new IllegalArgumentException("rows of a limited query are kept by one lookup");
    }
    List<RowLookup> others = parts.subList(1, parts.size());
    int total = ResultTable.rows(parts.stream().mapToLong(part -> part.rows).sum());
    others.forEach(other -> all.memory.take(other.taken));
    each.run(
        all.columns.length,
        c -> {
          check.run();
          all.columns[c].appendAll(others.stream().map(o -> o.columns[c]).toList(), total);
        });
    all.rows = total;
    if (!all.query.orderBy().isEmpty()) {
      all.reorder(each, check);
    }
    return all.table();
  }

  private ResultTable table() {
    ResultTable.Builder builder = new ResultTable.Builder();
    query.select().forEach(item -> builder.column(item.name(), item.what().kind()));
    builder.rows(rows);
    for (int c = 0; c < query.select().size(); c++) {
      columns[c].fill(builder, c);
    }
    return builder.build();
  }
}
