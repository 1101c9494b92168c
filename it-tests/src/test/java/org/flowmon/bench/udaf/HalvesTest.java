package org.flowmon.bench.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

class HalvesTest {
  private static final long SEED = 20261122;

  private static Map<Integer, Long> sums(Tuples tuples, int argument) {
    Map<Integer, Long> sums = new TreeMap<>();
    for (int b = 0; b < tuples.groupOf.length; b++) {
      for (int i = 0; i < Vector.CAPACITY; i++) {
        sums.merge(tuples.groupOf[b][i], tuples.arguments[b][argument].values()[i], Long::sum);
      }
    }
    return sums;
  }

  @Test
  void theBaselineIsTheExactSumWhetherLevelsShareTheWorkOrNot() {
    for (Spread spread : Spread.values()) {
      Tuples tuples = Tuples.ofItems(ValueKind.ADDRESS, 5000, 300, Tuples.ANY, spread, SEED);
      Map<Integer, Long> sums = sums(tuples, 1);
      for (Halves halves :
          new Halves[] {
            Halves.of(new SumBaseline(1), tuples), Halves.highOnly(new SumBaseline(1), tuples)
          }) {
        Halves.Cost cost = halves.measure(1);
        for (int g = 0; g < 300; g++) {
          long expected = sums.getOrDefault(g, 0L);
          SumBaseline.Sum state = (SumBaseline.Sum) cost.states().get(g);
          assertEquals(expected, state == null ? 0 : state.sum(), "seed " + SEED + ", group " + g);
        }
      }
    }
  }

  @Test
  void handingOnEachTupleSendsAsManySubStates() {
    Tuples tuples = Tuples.ofNumbers(3000, 10, 50, Spread.SKEWED, SEED);
    assertEquals(3072, tuples.rows);
    assertEquals(
        3072, Halves.highOnly(Functions.quantiles("lite", 0), tuples).measure(1).subStates());
    Halves.Cost shared = Halves.of(Functions.quantiles("lite", 0), tuples).measure(1);
    // A pad has room for 63 values: the tuples of a group fill that many pads.
    long expected = 0;
    for (long count : tuples.counts()) {
      expected += (count + 62) / 63;
    }
    assertEquals(expected, shared.subStates());
  }

  @Test
  void tuplesThatAreLostAreAnError() {
    Tuples tuples = Tuples.ofItems(ValueKind.ADDRESS, 1024, 5, Tuples.ANY, Spread.UNIFORM, SEED);
    Halves halves = Halves.of(new SumBaseline(1), tuples);
    halves.measure(1);
    tuples.groupOf[0][0] = (tuples.groupOf[0][0] + 1) % 5; // not the group of its place
    CommandException error = assertThrows(CommandException.class, () -> halves.measure(1));
    assertTrue(error.getMessage().contains("expected"), error.getMessage());
  }

  @Test
  void skewedNumbersAreSkewedAndAllWithinTheirCount() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int count : new int[] {1, 2, 10, 1436}) {
      Map<Integer, Integer> uniform = new HashMap<>();
      Map<Integer, Integer> skewed = new HashMap<>();
      for (int i = 0; i < 20_000; i++) {
        uniform.merge(Spread.UNIFORM.draw(random, count), 1, Integer::sum);
        skewed.merge(Spread.SKEWED.draw(random, count), 1, Integer::sum);
      }
      for (Map<Integer, Integer> drawn : List.of(uniform, skewed)) {
        assertTrue(drawn.keySet().stream().allMatch(n -> n >= 0 && n < count), drawn::toString);
        assertNotNull(drawn.get(0));
      }
      if (count > 2) {
        assertTrue(skewed.get(0) > 2 * uniform.get(0), count + ": " + skewed);
      }
    }
  }
}
