package org.flowmon.flow.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.flowmon.flow.memory.HeapBudget.Part;
import org.junit.jupiter.api.Test;

class HeapBudgetTest {
  private static final long MIB = 1L << 20;

  @Test
  void aPartIsAShareOfTheHeapUpToItsLimit() {
    assertEquals(16 * MIB, new HeapBudget(256 * MIB).of(Part.DECODED_PAGES));
    assertEquals(64 * MIB, new HeapBudget(1024 * MIB).of(Part.DECODED_PAGES));
    assertEquals(64 * MIB, new HeapBudget(8192 * MIB).of(Part.DECODED_PAGES));
    assertEquals(4096 * MIB, new HeapBudget(8192 * MIB).of(Part.QUERY));
    assertEquals(90 * MIB, new HeapBudget(200 * MIB).of(Part.COLLECTOR_QUEUE));
  }

  @Test
  void everyPartOfAnyHeapIsPositiveAndLeavesHalfOfIt() {
    for (long heap : new long[] {MIB, 64 * MIB, 1L << 30, 1L << 40}) {
      for (Part part : Part.values()) {
        long bytes = new HeapBudget(heap).of(part);
        assertTrue(bytes > 0 && bytes <= heap / 2, part + " of " + heap + ": " + bytes);
      }
    }
  }

  @Test
  void aTaskThatDoesNotFitRunsAlone() {
    assertEquals(1, new HeapBudget(100 * MIB).tasksOf(400 * MIB));
    assertEquals(2, new HeapBudget(1023 * MIB).tasksOf(400 * MIB));
  }

  @Test
  void thePartsOfThisProcessAreOfItsHeap() {
    assertEquals(Runtime.getRuntime().maxMemory() / 2, Part.QUERY.bytes());
  }
}
