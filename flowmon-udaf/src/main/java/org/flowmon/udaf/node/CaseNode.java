package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * CASE: each row takes its first TRUE condition's result. Conditions and results are evaluated for
 * all rows, if they are needed for one.
 */
public final class CaseNode extends ValueNode {
  private final TruthNode[] conditions;
  private final Operand[] results;
  private final Truth truth = new Truth();
  // By branch: the rows that take its result.
  private final long[][] rowsOf;
  // By branch with such rows: its values.
  private final Vector[] taken;

  /** One result per condition, then that of ELSE. */
  public CaseNode(@Nullable ValueKind kind, TruthNode[] conditions, ValueNode[] results) {
    super(kind);
    this.conditions = conditions;
    this.results = Operand.of(results);
    this.rowsOf = new long[results.length][Vector.WORDS];
    this.taken = new Vector[results.length];
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    choose(rows, from, count);
    Arrays.fill(out.validity(), 0);
    boolean isWide = false;
    for (int b = 0; b < results.length; b++) {
      if (isAny(rowsOf[b])) {
        taken[b] = results[b].values(rows, from, count);
        take(taken[b], rowsOf[b], count, out);
        isWide |= taken[b].isWide();
      }
    }
    out.settleValidity(count);
    if (isWide && kind() != ValueKind.DOUBLE) {
      takeUpper(count, out.widen());
    }
  }

  private void choose(FlowRows rows, int from, int count) {
    long[] rest = rowsOf[conditions.length];
    Vector.fill(rest, count);
    for (int b = 0; b < conditions.length; b++) {
      if (!isAny(rest)) {
        Arrays.fill(rowsOf[b], 0);
        continue;
      }
      conditions[b].evaluate(rows, from, count, truth);
      for (int w = 0; w < Vector.WORDS; w++) {
        rowsOf[b][w] = truth.isTrue[w] & rest[w];
        rest[w] &= ~truth.isTrue[w];
      }
    }
  }

  private static boolean isAny(long[] rows) {
    long any = 0;
    for (long word : rows) {
      any |= word;
    }
    return any != 0;
  }

  private void take(Vector from, long[] chosen, int count, Vector out) {
    boolean widen = kind() == ValueKind.DOUBLE && from.kind() == ValueKind.LONG;
    for (int w = 0; w < Vector.words(count); w++) {
      long word = chosen[w] & from.validity()[w];
      out.validity()[w] |= word;
      int base = w << 6;
      if (word == -1L && !widen) {
        copy(from, base, 64, out);
        continue;
      }
      for (; word != 0; word &= word - 1) {
        int i = base + Long.numberOfTrailingZeros(word);
        if (widen) {
          out.values()[i] = Double.doubleToLongBits(from.asDouble(i));
        } else {
          copy(from, i, 1, out);
        }
      }
    }
  }

  private static void copy(Vector from, int at, int count, Vector out) {
    if (count == 1) {
      out.values()[at] = from.values()[at];
    } else {
      System.arraycopy(from.values(), at, out.values(), at, count);
    }
    if (out.kind() == ValueKind.ADDRESS) {
      System.arraycopy(from.requireHigh(), at, out.requireHigh(), at, count);
    } else if (out.kind() == ValueKind.TEXT) {
      System.arraycopy(from.requireTexts(), at, out.requireTexts(), at, count);
    }
  }

  private void takeUpper(int count, long[] upper) {
    for (int b = 0; b < results.length; b++) {
      if (isAny(rowsOf[b])) {
        for (int i = 0; i < count; i++) {
          if ((rowsOf[b][i >>> 6] >>> i & 1) != 0) {
            upper[i] = taken[b].upper(i);
          }
        }
      }
    }
  }
}
