package org.flowmon.udaf.set;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/**
 * Sets of IN may hold values from flows, as in IN (SELECT …): chosen values do not make them slow.
 */
class ChosenSetsTest {
  private static final int VALUES = 20_000;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long INVERSE =
      BigInteger.valueOf(MULTIPLIER).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();

  @Test
  void chosenNumbersShareNoSlots() {
    long[] points = new long[VALUES];
    for (int i = 0; i < VALUES; i++) {
      points[i] = (i + 1) * INVERSE; // times the previous multiplier: a number below 2^32
    }
    LongSet set = new LongSet(points);
    for (long point : points) {
      assertTrue(set.contains(point));
    }
    assertTrue(set.displacement() < 4L * VALUES, set.displacement() + " slots");
  }

  @Test
  void chosenAddressesShareNoSlots() {
    List<Expression> items = new ArrayList<>();
    for (int i = 0; i < VALUES; i++) {
      long high = 0x2001_0DB8L << 32 | i;
      items.add(new Literal(Value.ofAddress(high, high * 0xC2B2AE3D27D4EB4FL)));
    }
    AddressSet set = AddressSet.of(items);
    assertTrue(set.displacement() < 4L * VALUES, set.displacement() + " slots");
  }
}
