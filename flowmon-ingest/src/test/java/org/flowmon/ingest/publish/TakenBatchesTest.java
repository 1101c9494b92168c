package org.flowmon.ingest.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class TakenBatchesTest {
  private static final int BATCH = 100_000;

  private final TakenBatches taken = new TakenBatches();

  private static QueuedBatch batch() {
    return new QueuedBatch(0, new byte[BATCH], 1, 0, 0, 0, Optional.empty());
  }

  /** One of a partition whose broker is away must not keep those that others have delivered. */
  @Test
  void deliveredBatchesBehindOneThatWaitsTakeNoMemory() {
    TakenBatches.Taken first = taken.begin(batch());
    long before = usedHeap();
    for (int i = 0; i < 500; i++) {
      taken.end(taken.begin(batch()));
    }
    long more = usedHeap() - before;
    assertTrue(more < 10_000_000, more + " bytes");
    assertSame(first, taken.first().orElseThrow());
    assertEquals(BATCH, taken.bytes());
    taken.end(first);
    taken.end(first);
    assertEquals(Optional.empty(), taken.first());
    assertEquals(0, taken.bytes());
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
