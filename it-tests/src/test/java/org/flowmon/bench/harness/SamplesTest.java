package org.flowmon.bench.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SamplesTest {
  @Test
  void aMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
    assertEquals(Double.NaN, Samples.of().median());
    assertEquals(7, Samples.of(7).median());
    assertEquals(2.5, Samples.of(4, 1, 2, 3).median());
    assertEquals(3, Samples.of(9, 1, 3).median());
  }
}
