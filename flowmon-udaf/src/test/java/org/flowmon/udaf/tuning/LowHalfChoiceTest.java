package org.flowmon.udaf.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LowHalfChoiceTest {
  private static final double[] FIRST = {10, 20, 30};
  private static final double[] SECOND = {20, 10, 30};
  private static final double[] THIRD = {20, 30, 10};

  /** After an undecided first trial. */
  private static LowHalfChoice choice() {
    LowHalfChoice choice = new LowHalfChoice(3);
    assertFalse(choice.tried(new double[] {10, 10, 10}));
    return choice;
  }

  @Test
  void theFirstTrialDecidesByItselfWhereAnotherCostsFarLess() {
    LowHalfChoice choice = new LowHalfChoice(3);
    assertTrue(choice.tried(new double[] {20, 16, 14.9}));
    assertEquals(2, choice.current());
    assertFalse(choice.tried(FIRST), "the second does not");
    assertTrue(choice.tried(FIRST));
    LowHalfChoice near = new LowHalfChoice(3);
    assertFalse(near.tried(new double[] {20, 16, 15.1}));
    assertTrue(near.isChallenged());
    assertTrue(near.tried(new double[] {20, 16, 15.1}));
    assertEquals(2, near.current());
  }

  @Test
  void whatIsClearlyCheaperTwiceRunningIsTaken() {
    LowHalfChoice choice = choice();
    assertEquals(0, choice.current());
    assertFalse(choice.tried(SECOND));
    assertTrue(choice.isChallenged());
    assertTrue(choice.tried(SECOND));
    assertEquals(1, choice.current());
    assertFalse(choice.isChallenged());
  }

  @Test
  void oneTrialAlternatingTrialsAndSmallDifferencesChangeNothing() {
    LowHalfChoice choice = choice();
    for (int i = 0; i < 50; i++) {
      assertFalse(choice.tried(i % 2 == 0 ? SECOND : THIRD));
      assertFalse(choice.tried(i % 3 == 0 ? FIRST : new double[] {10, 9.6, 9.55}));
    }
    assertEquals(0, choice.current());
  }

  @Test
  void theCheapestOfAllTrialsIsTakenWhereOthersAreCheaperInTurns() {
    LowHalfChoice choice = choice();
    assertFalse(choice.tried(new double[] {20, 10, 11}));
    assertTrue(choice.tried(new double[] {20, 13, 9}));
    assertEquals(2, choice.current());
    LowHalfChoice other = choice();
    assertFalse(other.tried(SECOND));
    assertFalse(other.tried(THIRD), "neither is cheaper than the first in both");
    assertTrue(other.tried(THIRD));
    assertEquals(2, other.current());
  }

  @Test
  void equalCostsWithNoiseNeverMakeItChange() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      LowHalfChoice choice = new LowHalfChoice(3);
      for (int i = 0; i < 200; i++) {
        double[] costs = new double[3];
        for (int c = 0; c < costs.length; c++) {
          costs[c] = 100 * (1 + 0.02 * (2 * random.nextDouble() - 1));
        }
        assertFalse(choice.tried(costs), "seed " + seed);
      }
    }
  }

  @Test
  void trialsThatAClockTooCoarseDidNotMeasureSayNothing() {
    for (double unmeasured : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      LowHalfChoice choice = choice();
      assertFalse(choice.tried(SECOND));
      assertTrue(choice.tried(SECOND));
      for (int i = 0; i < 20; i++) {
        assertFalse(choice.tried(new double[] {10, unmeasured, 30}), "of the one at hand");
        assertFalse(choice.tried(new double[] {unmeasured, 10, 30}), "of another");
        assertFalse(choice.tried(new double[] {unmeasured, unmeasured, unmeasured}), "of all");
      }
      assertEquals(1, choice.current(), () -> unmeasured + "");
      assertFalse(choice.isChallenged());
    }
  }

  @Test
  void aStreamThatTurnsToAndFroChangesItLessAndLessOften() {
    LowHalfChoice choice = choice();
    int changes = 0;
    for (int i = 0; i < 120; i++) {
      changes += choice.tried(i / 3 % 2 == 0 ? SECOND : FIRST) ? 1 : 0;
    }
    assertEquals(1, changes, "three trials running are enough only the first time");
    for (int i = 0; i < 8; i++) {
      assertFalse(choice.tried(SECOND));
    }
    assertFalse(choice.tried(FIRST));
    assertTrue(choice.tried(FIRST), "it has lasted since");
  }
}
