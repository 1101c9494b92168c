package org.flowmon.udaf.join;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.TableVectors;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Columns of joined rows as vectors, up to {@link Vector#CAPACITY} rows at a time. */
public final class JoinedColumns {
  /** A column, and where its values go. */
  private static final class Read {
    private final ResultTable table;
    private final int column;
    private final int @Nullable [] rows; // of the table, by row of the join; null if the same
    private final Vector vector;

    Read(ResultTable table, int column, int @Nullable [] rows, Vector vector) {
      this.table = table;
      this.column = column;
      this.rows = rows;
      this.vector = vector;
    }

    void load(int from, int n) {
      if (rows == null) {
        TableVectors.load(table, column, from, n, vector);
      } else {
        TableVectors.load(table, column, rows, from, n, vector);
      }
    }
  }

  private final Map<Expression, Vector> vectors = new LinkedHashMap<>();
  private final List<Read> reads = new ArrayList<>();

  JoinedColumns(TableJoin join, Collection<Named> columns) {
    for (Named column : columns) {
      int source = join.source(column);
      ResultTable table = join.table(source);
      int place = TableVectors.place(table, column.name(), column.kind(), "a query");
      Vector vector = new Vector(column.kind());
      vectors.put(column, vector);
      reads.add(new Read(table, place, join.rows(source), vector));
    }
  }

  /** By column; what they hold changes with each {@link #load}. */
  public Map<Expression, Vector> vectors() {
    return vectors;
  }

  public void load(int from, int n) {
    for (Read read : reads) {
      read.load(from, n);
    }
  }
}
