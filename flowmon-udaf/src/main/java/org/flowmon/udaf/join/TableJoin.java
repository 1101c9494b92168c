package org.flowmon.udaf.join;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Equality;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Joined rows: by source, the number of its row. They are in the order of the first source's rows;
 * those of one row are in the order of the second's, and so on.
 *
 * <p>A condition of WHERE is applied as soon as the sources that it reads are joined: whatever is
 * joined later repeats or drops a row, but leaves its columns as they are. What the last source is
 * needed for is left to the caller.
 */
public final class TableJoin {
  private static final int CHECKED = 1 << 16;

  private final List<Source> sources;
  private final List<ResultTable> tables;
  private final int mostRows;
  private final GroupMemory memory;
  private final Runnable check;
  // By source: the row of its table in each row of the join, −1 for a row of NULLs.
  private final int[][] rows;
  // The terms of WHERE, by the last source that they read.
  private final List<List<Expression>> terms;
  private int count;

  private TableJoin(
      TableQuery query,
      List<ResultTable> tables,
      int mostRows,
      GroupMemory memory,
      Runnable check) {
    this.memory = memory;
    this.sources = query.from();
    this.tables = tables;
    this.mostRows = mostRows;
    this.check = check;
    this.rows = new int[sources.size()][];
    this.terms = terms(query.clauses().where());
    this.count = tables.get(0).rowCount();
    if (sources.size() > 1) {
      memory.take((long) Integer.BYTES * count);
      rows[0] = new int[count];
      Arrays.setAll(rows[0], row -> row);
    }
    for (int s = 1; s < sources.size(); s++) {
      filter(s - 1);
      join(s);
    }
  }

  private List<List<Expression>> terms(@Nullable Expression where) {
    List<List<Expression>> bySource = new ArrayList<>();
    sources.forEach(source -> bySource.add(new ArrayList<>()));
    List<Expression> all =
        where instanceof And and ? and.terms() : where == null ? List.of() : List.of(where);
    for (Expression term : all) {
      int last =
          ExpressionParts.namedColumns(term).stream()
              .mapToInt(this::source)
              .max()
              .orElse(sources.size() - 1);
      bySource.get(last).add(term);
    }
    return bySource;
  }

  private @Nullable Expression condition(int source) {
    List<Expression> of = terms.get(source);
    return of.isEmpty() ? null : of.size() == 1 ? of.get(0) : new And(of);
  }

  /** Keeps the rows that meet the conditions on the sources up to this one. */
  private void filter(int last) {
    Expression condition = condition(last);
    if (condition == null) {
      return;
    }
    JoinedColumns columns = columns(ExpressionParts.namedColumns(condition));
    CompiledPredicate filter = CompiledPredicate.of(condition, columns.vectors());
    int[] selection = new int[Vector.CAPACITY];
    int kept = 0;
    for (int from = 0; from < count; from += Vector.CAPACITY) {
      if (from % CHECKED == 0) {
        check.run();
      }
      int size = Math.min(Vector.CAPACITY, count - from);
      columns.load(from, size);
      int n = filter.select(size, selection);
      for (int s = 0; s <= last; s++) {
        for (int i = 0; i < n; i++) {
          rows[s][kept + i] = rows[s][from + selection[i]]; // never behind what is read
        }
      }
      kept += n;
    }
    for (int s = 0; s <= last; s++) {
      rows[s] = Arrays.copyOf(rows[s], kept);
    }
    memory.take(-(long) Integer.BYTES * (count - kept) * (last + 1));
    count = kept;
  }

  /**
   * Joins the results of a query's sources; {@code check} may throw to end the query.
   *
   * @throws AnswerTooLargeException if there are more than {@code mostRows}
   */
  public static TableJoin of(
      TableQuery query,
      List<ResultTable> tables,
      int mostRows,
      GroupMemory memory,
      Runnable check) {
    return new TableJoin(query, tables, mostRows, memory, check);
  }

  public int count() {
    return count;
  }

  /** The conditions of WHERE that the rows need not meet yet; null if there are none. */
  public @Nullable Expression condition() {
    return condition(sources.size() - 1);
  }

  /** Columns of the rows. */
  public JoinedColumns columns(Collection<Named> of) {
    return new JoinedColumns(this, of);
  }

  ResultTable table(int source) {
    return tables.get(source);
  }

  /** By row of the join: the row of a source, −1 for NULLs; null if there is one source. */
  int @Nullable [] rows(int source) {
    return rows[source];
  }

  /** The source of a column, by its place. */
  int source(Named column) {
    for (int s = 0; s < sources.size(); s++) {
      if (Objects.equals(sources.get(s).name(), column.table())) {
        return s;
      }
    }
    throw new IllegalArgumentException("no source has " + column);
  }

  private void join(int own) {
    List<Equality> on = sources.get(own).on();
    JoinKeys build = new JoinKeys(on.size());
    JoinKeys probe = new JoinKeys(on.size());
    for (int k = 0; k < on.size(); k++) {
      Equality equal = on.get(k);
      int before = source(equal.before());
      build.set(k, equal.matchesNulls(), tables.get(own), equal.own(), null);
      probe.set(k, equal.matchesNulls(), tables.get(before), equal.before(), rows[before]);
    }
    Pairs pairs = new Pairs(Math.min(mostRows, Math.max(16, count)));
    HashedRows hashed = new HashedRows(build, tables.get(own).rowCount());
    for (int row = 0; row < count; row++) {
      if (row % CHECKED == 0) {
        check.run();
      }
      int before = pairs.count;
      for (int at = hashed.first(probe, row); at >= 0; at = hashed.next(at)) {
        if (build.isSame(at, probe, row)) {
          pairs.add(row, at);
        }
      }
      if (pairs.count == before && sources.get(own).isLeft()) {
        pairs.add(row, -1);
      }
    }
    int made = pairs.count;
    memory.take((long) Integer.BYTES * made * (own + 1));
    for (int s = 0; s < own; s++) {
      check.run();
      int[] moved = new int[made];
      for (int i = 0; i < made; i++) {
        moved[i] = rows[s][pairs.left[i]];
      }
      rows[s] = moved;
    }
    rows[own] = Arrays.copyOf(pairs.right, made);
    // The pairs, the hash table, and the previous rows.
    memory.take(-pairs.taken - hashed.taken - (long) Integer.BYTES * count * own);
    count = made;
  }

  /** The rows of one side by the hash of their keys, as lists that ascend. */
  private final class HashedRows {
    final long taken;
    private final int mask;
    private final int[] first;
    private final int[] next;

    HashedRows(JoinKeys keys, int size) {
      mask = Integer.highestOneBit(Math.max(2, Math.min(size, 1 << 29) * 2 - 1)) * 2 - 1;
      taken = Integer.BYTES * (mask + 1L + size);
      memory.take(taken);
      first = new int[mask + 1];
      next = new int[size];
      Arrays.fill(first, -1);
      for (int row = size - 1; row >= 0; row--) {
        if (row % CHECKED == 0) {
          check.run();
        }
        if (!keys.isAlone(row)) {
          int at = (int) keys.hash(row) & mask;
          next[row] = first[at];
          first[at] = row;
        }
      }
    }

    /** The first row whose keys may be those of a row of the other side, −1 if there is none. */
    int first(JoinKeys probe, int row) {
      return probe.isAlone(row) ? -1 : first[(int) probe.hash(row) & mask];
    }

    int next(int row) {
      return next[row];
    }
  }

  /** Rows of both sides that belong together. */
  private final class Pairs {
    int[] left;
    int[] right;
    int count;
    long taken;

    Pairs(int room) {
      take(room);
      left = new int[room];
      right = new int[room];
    }

    private void take(int room) {
      memory.take(2L * Integer.BYTES * room);
      taken += 2L * Integer.BYTES * room;
    }

    void add(int ofLeft, int ofRight) {
      if (count == left.length) {
        int room = grown(count);
        take(room - count);
        left = Arrays.copyOf(left, room);
        right = Arrays.copyOf(right, room);
      }
      left[count] = ofLeft;
      right[count++] = ofRight;
      if (count % CHECKED == 0) {
        check.run();
      }
    }
  }

  private int grown(int made) {
    if (made >= mostRows) {
      throw new AnswerTooLargeException(made + 1L, "rows by a join", mostRows);
    }
    return Math.min(mostRows, 2 * made);
  }
}
