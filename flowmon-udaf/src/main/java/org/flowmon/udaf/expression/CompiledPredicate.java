package org.flowmon.udaf.expression;

import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Chooses among {@link Vector#CAPACITY} rows without allocation. Not thread-safe. */
public final class CompiledPredicate {
  private final @Nullable TruthNode node;
  private final CompiledExpressions parts;
  private final Truth truth = new Truth();

  /** {@code parts}: whose values the condition shares among its terms. */
  private CompiledPredicate(@Nullable TruthNode node, CompiledExpressions parts) {
    this.node = node;
    this.parts = parts;
  }

  static CompiledPredicate of(TruthNode node) {
    return new CompiledPredicate(node, new CompiledExpressions(Map.of()));
  }

  /** Without parameters, else a {@link QueryException} names one; null keeps every row. */
  public static CompiledPredicate of(@Nullable Expression bound) {
    return of(bound, Map.of());
  }

  /** Over groups: {@code given} will hold the values of keys and aggregates. */
  public static CompiledPredicate of(@Nullable Expression bound, Map<Expression, Vector> given) {
    CompiledExpressions parts = new CompiledExpressions(given);
    return new CompiledPredicate(bound == null ? null : parts.condition(bound), parts);
  }

  /** Over groups, by the first values of the given vectors; else as the other. */
  public int select(int count, int[] selection) {
    return select(NoRows.NONE, 0, count, selection);
  }

  /**
   * Chooses the rows for which the filter is TRUE: neither FALSE nor NULL.
   *
   * @param count rows from {@code from}, at most {@link Vector#CAPACITY}
   * @param selection receives the chosen rows' numbers relative to {@code from}, ascending
   * @return how many; if it equals count, the selection is 0 … count − 1
   */
  public int select(FlowRows rows, int from, int count, int[] selection) {
    if (count > Vector.CAPACITY) {
      throw new IllegalArgumentException(count + " rows in one call, at most " + Vector.CAPACITY);
    }
    if (node == null) {
      return all(count, selection);
    }
    parts.next();
    node.evaluate(rows, from, count, truth);
    int n = 0;
    for (int w = 0; w < Vector.words(count); w++) {
      long word = truth.isTrue[w];
      int base = w << 6;
      if (word == -1L) {
        for (int i = 0; i < 64; i++) {
          selection[n + i] = base + i;
        }
        n += 64;
        continue;
      }
      for (; word != 0; word &= word - 1) {
        selection[n++] = base + Long.numberOfTrailingZeros(word);
      }
    }
    return n;
  }

  private static int all(int count, int[] selection) {
    for (int i = 0; i < count; i++) {
      selection[i] = i;
    }
    return count;
  }
}
