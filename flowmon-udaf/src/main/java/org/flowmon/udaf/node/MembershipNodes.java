package org.flowmon.udaf.node;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.set.AddressSet;
import org.flowmon.udaf.set.LongSet;
import org.flowmon.udaf.text.LikePattern;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** IN, and LIKE. */
public final class MembershipNodes {
  private MembershipNodes() {}

  private abstract static class Base extends TruthNode {
    private final ValueNode.Operand operand;
    private final boolean hasNull;
    private final long[] matches = new long[Vector.WORDS];

    /** {@code hasNull}: a value without a match gives NULL, not FALSE. */
    Base(ValueNode node, boolean hasNull) {
      this.operand = new ValueNode.Operand(node);
      this.hasNull = hasNull;
    }

    @Override
    public final void evaluate(FlowRows rows, int from, int count, Truth out) {
      Vector vector = operand.values(rows, from, count);
      Arrays.fill(matches, 0);
      match(vector, count, matches);
      out.of(matches, vector.validity());
      if (hasNull) {
        Arrays.fill(out.isFalse, 0);
      }
    }

    abstract void match(Vector vector, int count, long[] bits);
  }

  public static final class Addresses extends Base {
    private final AddressSet set;

    public Addresses(ValueNode node, AddressSet set, boolean hasNull) {
      super(node, hasNull);
      this.set = set;
    }

    @Override
    void match(Vector vector, int count, long[] bits) {
      long[] high = vector.requireHigh();
      long[] low = vector.values();
      for (int i = 0; i < count; i++) {
        bits[i >>> 6] |= (set.contains(high[i], low[i]) ? 1L : 0L) << i;
      }
    }
  }

  public static final class Longs extends Base {
    private final LongSet set;

    public Longs(ValueNode node, List<Value> constants, boolean hasNull) {
      super(node, hasNull);
      this.set = new LongSet(constants.stream().mapToLong(Value::low).toArray());
    }

    @Override
    void match(Vector vector, int count, long[] bits) {
      long[] values = vector.values();
      boolean wide = vector.isWide();
      for (int i = 0; i < count; i++) {
        boolean fits = !wide || vector.upper(i) == values[i] >> 63;
        bits[i >>> 6] |= (fits && set.contains(values[i]) ? 1L : 0L) << i;
      }
    }
  }

  public static final class Doubles extends Base {
    private final LongSet set;

    public Doubles(ValueNode node, List<Value> constants, boolean hasNull) {
      super(node, hasNull);
      this.set =
          new LongSet(constants.stream().mapToLong(value -> bits(value.asDouble())).toArray());
    }

    /** As in the comparison, NaN equals itself, and both zeros are equal. */
    private static long bits(double value) {
      return Double.doubleToLongBits(value == 0 ? 0 : value);
    }

    @Override
    void match(Vector vector, int count, long[] bits) {
      for (int i = 0; i < count; i++) {
        bits[i >>> 6] |= (set.contains(bits(vector.asDouble(i))) ? 1L : 0L) << i;
      }
    }
  }

  /** LIKE. */
  public static final class Pattern extends Base {
    private final LikePattern pattern;

    public Pattern(ValueNode node, LikePattern pattern) {
      super(node, false);
      this.pattern = pattern;
    }

    @Override
    void match(Vector vector, int count, long[] bits) {
      String[] values = vector.requireTexts();
      for (int i = 0; i < count; i++) {
        String text = values[i];
        bits[i >>> 6] |= (text != null && pattern.matches(text) ? 1L : 0L) << i;
      }
    }
  }

  public static final class Texts extends Base {
    private final Set<String> texts;

    public Texts(ValueNode node, List<Value> constants, boolean hasNull) {
      super(node, hasNull);
      this.texts =
          constants.stream().map(Value::text).collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    void match(Vector vector, int count, long[] bits) {
      String[] values = vector.requireTexts();
      for (int i = 0; i < count; i++) {
        String text = values[i];
        bits[i >>> 6] |= (text != null && texts.contains(text) ? 1L : 0L) << i;
      }
    }
  }
}
