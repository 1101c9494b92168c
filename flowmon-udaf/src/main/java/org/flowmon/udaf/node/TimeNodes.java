package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** TIME_BUCKET and DAYS_BEFORE. */
public final class TimeNodes {
  static final long HOUR = 3_600_000_000L;
  static final long DAY = 24 * HOUR;

  private TimeNodes() {}

  public static ValueNode bucket(ValueNode time, long width) {
    return new ValueNode(ValueKind.TIMESTAMP) {
      @Override
      public void evaluate(FlowRows rows, int from, int count, Vector out) {
        time.evaluate(rows, from, count, out);
        long[] values = out.values();
        for (int i = 0; i < count; i++) {
          long into = Math.floorMod(values[i], width);
          // No bucket begins before the first whole bucket of 64 bits.
          if (values[i] < Long.MIN_VALUE + into) {
            out.validity()[i >>> 6] &= ~(1L << i);
          }
          values[i] -= into;
        }
        out.settleValidity(count);
      }
    };
  }

  public static ValueNode daysBefore(ValueNode time, ValueNode now) {
    Vector nows = new Vector(ValueKind.TIMESTAMP);
    return new ValueNode(ValueKind.LONG) {
      @Override
      public void evaluate(FlowRows rows, int from, int count, Vector out) {
        time.evaluate(rows, from, count, out);
        now.evaluate(rows, from, count, nows);
        long[] values = out.values();
        for (int w = 0; w < Vector.WORDS; w++) {
          out.validity()[w] &= nows.validity()[w];
        }
        for (int i = 0; i < count; i++) {
          long distance = nows.values()[i] - values[i];
          boolean overflow = ((nows.values()[i] ^ values[i]) & (nows.values()[i] ^ distance)) < 0;
          if (overflow) {
            out.validity()[i >>> 6] &= ~(1L << i);
          }
          values[i] = -Math.floorDiv(-distance, DAY);
        }
        out.settleValidity(count);
      }
    };
  }
}
