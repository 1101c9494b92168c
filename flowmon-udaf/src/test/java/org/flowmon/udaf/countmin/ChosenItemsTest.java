package org.flowmon.udaf.countmin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/** Items chosen to collide in tables of items do not make them slow. */
class ChosenItemsTest {
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long HIGH_MULTIPLIER = 0xC2B2AE3D27D4EB4FL;
  private static final long INVERSE =
      BigInteger.valueOf(MULTIPLIER).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();

  private static long high(int i) {
    return 0x2001_0DB8L << 32 | i;
  }

  /** Makes {@code low * MULTIPLIER ^ high * HIGH_MULTIPLIER} the same for all. */
  private static long low(int i) {
    return (12345 ^ high(i) * HIGH_MULTIPLIER) * INVERSE;
  }

  @Test
  void chosenItemsShareNoSlotsWhereWeightsAreExact() {
    int items = 20_000;
    ItemCounts counts = new ItemCounts();
    for (int i = 0; i < items; i++) {
      counts.add(high(i), low(i), 1);
    }
    assertEquals(items, counts.size());
    assertTrue(counts.displacement() < 8L * items, counts.displacement() + " slots");
  }

  @Test
  void chosenItemsShareNoSlotsOfCandidates() {
    int width = 1 << 13;
    Candidates candidates = new Candidates(width);
    long[] words = new long[Candidates.words(width)];
    for (int i = 0; i < Candidates.capacity(width); i++) {
      candidates.add(words, 0, high(i), low(i), 1);
    }
    assertEquals(Candidates.capacity(width), Candidates.size(words, 0));
    long displacement = Candidates.displacement(words, 0, width);
    assertTrue(displacement < 8L * width, displacement + " slots");
  }
}
