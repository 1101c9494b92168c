package org.flowmon.archive.derived;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RunUpdateTest {
  @Test
  void sizesOfRunsGrowGeometrically() {
    assertEquals(2, RunUpdate.mergeable(new long[] {10, 30}));
    assertEquals(0, RunUpdate.mergeable(new long[] {10, 31}));
    assertEquals(3, RunUpdate.mergeable(new long[] {10, 50, 60}));
    assertEquals(3, RunUpdate.mergeable(new long[] {10, 20, 90, 400}));
    assertEquals(0, RunUpdate.mergeable(new long[] {}));
    assertEquals(0, RunUpdate.mergeable(new long[] {2L << 30}));
    assertEquals(0, RunUpdate.mergeable(new long[] {600L << 20, 600L << 20}));
  }
}
