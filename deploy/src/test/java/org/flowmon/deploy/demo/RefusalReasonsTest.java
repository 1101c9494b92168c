package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class RefusalReasonsTest {
  private final RefusalReasons reasons = new RefusalReasons();

  @Test
  void reasonsThatDifferInNumbersAloneAreOne() {
    reasons.add("flow batch says it has 500 bytes, found 40");
    reasons.add("flow batch says it has -7 bytes, found 1,024");
    reasons.add("it arrives at 2100-01-01T00:00:00.5Z, expected at most PT1H ahead");
    reasons.add("column v4 is wrong");
    assertEquals(
        Map.of(
            "flow batch says it has # bytes, found #", 2L,
            "it arrives at #, expected at most PT1H ahead", 1L,
            "column v4 is wrong", 1L),
        reasons.counts());
  }

  @Test
  void ofManyReasonsTheRarestAreOneSum() {
    for (char c = 'a'; c < 'a' + 2 * RefusalReasons.SHOWN; c++) {
      for (char n = 'a'; n <= c; n++) {
        reasons.add("reason " + c);
      }
    }
    Map<String, Long> counts = reasons.counts();
    assertEquals(RefusalReasons.SHOWN + 1, counts.size(), counts.toString());
    assertEquals(20L, counts.get("reason t"));
    assertEquals(11L, counts.get("reason k"));
    assertEquals(55L, counts.get(RefusalReasons.OTHERS));
  }

  @Test
  void reasonsThatSomebodyMakesUpAreKeptUpToABound() {
    for (int n = 0; n < 3 * RefusalReasons.KEPT; n++) {
      reasons.add("reason x" + n + "x");
    }
    reasons.add("reason x0x");
    assertEquals(RefusalReasons.KEPT + 1, reasons.kept());
    assertEquals(2L, reasons.counts().get("reason x0x"));
    assertEquals(
        3L * RefusalReasons.KEPT + 1,
        reasons.counts().values().stream().mapToLong(Long::longValue).sum());
  }
}
