package org.flowmon.archive.query.group;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.archive.query.filter.DictionaryRows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Rows whose numbers are read once for all expressions that share a column. Not thread-safe. */
final class SharedLongs implements FlowRows {
  /** Values of a column. */
  private static final class Read {
    private final long[] values = new long[Vector.CAPACITY];
    private boolean isThere;
  }

  private final Map<FlowColumn, Read> reads = new TreeMap<>();
  private FlowRows rows = DictionaryRows.NULL; // until there are some
  private int first;
  private int count;

  SharedLongs(List<Expression> expressions) {
    Set<FlowColumn> once = new TreeSet<>();
    expressions.forEach(expression -> collect(expression, once));
  }

  private void collect(Expression expression, Set<FlowColumn> once) {
    if (expression instanceof Expression.Column column && !once.add(column.column())) {
      reads.computeIfAbsent(column.column(), c -> new Read());
    }
    ExpressionParts.of(expression).forEach(part -> collect(part, once));
  }

  /** The view of rows for expressions that are going to be evaluated on these of them. */
  FlowRows of(FlowRows flows, int from, int n) {
    if (reads.isEmpty() || n > Vector.CAPACITY) {
      return flows;
    }
    rows = flows;
    first = from;
    count = n;
    reads.values().forEach(read -> read.isThere = false);
    return this;
  }

  @Override
  public int rows() {
    return rows.rows();
  }

  @Override
  public Presence presence(FlowColumn column) {
    return rows.presence(column);
  }

  @Override
  public void readLongs(FlowColumn column, int from, int n, long[] out) {
    Read read = reads.get(column);
    if (read == null || from != first || n != count) {
      rows.readLongs(column, from, n, out);
      return;
    }
    if (!read.isThere) {
      rows.readLongs(column, from, n, read.values);
      read.isThere = true;
    }
    System.arraycopy(read.values, 0, out, 0, n);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int n, long[] hi, long[] lo) {
    rows.readAddresses(column, from, n, hi, lo);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int n, long[] words) {
    rows.readValidity(column, from, n, words);
  }

  @Override
  public @Nullable String text(FlowColumn column, int row) {
    return rows.text(column, row);
  }

  @Override
  public void readTexts(FlowColumn column, int from, int n, @Nullable String[] out) {
    rows.readTexts(column, from, n, out);
  }
}
