package org.flowmon.jobs.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Queries whose task ends. */
class RunningLookupsTest {
  private final CountDownLatch begun = new CountDownLatch(1);

  /** Runs until it is interrupted. */
  private String endless() {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
      return "it went on";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // as queries do
      return "interrupted";
    }
  }

  @Test
  void aLookupWhoseTimeIsOverIsStoppedAndNoOtherOne() throws Exception {
    RunningLookups lookups = new RunningLookups();
    ExecutorService pool = Executors.newFixedThreadPool(1);
    try {
      Object late = new Object();
      Future<?> ended =
          pool.submit(
              () -> {
                assertEquals("interrupted", lookups.run(late, this::endless));
                assertFalse(Thread.currentThread().isInterrupted(), "for what follows");
                return lookups.run(new Object(), () -> "b");
              });
      begun.await();
      lookups.stop(new Object()); // owner without queries
      assertFalse(ended.isDone());
      lookups.stop(late);
      lookups.stop(late);
      assertEquals("b", ended.get());
      lookups.stop(late); // no longer runs
      assertFalse(lookups.isClosed());
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void whatRunsEndsWithItsTaskAndItsThreadDoesOtherThings() throws Exception {
    RunningLookups lookups = new RunningLookups();
    RunningLookups others = new RunningLookups();
    ExecutorService pool = Executors.newFixedThreadPool(1);
    try {
      Future<?> ended =
          pool.submit(
              () -> {
                assertEquals("a", others.run(new Object(), () -> "a"));
                assertEquals("interrupted", lookups.run(new Object(), this::endless));
                assertFalse(Thread.currentThread().isInterrupted(), "for what follows");
                assertEquals("b", others.run(new Object(), () -> "b"));
                return null;
              });
      begun.await();
      assertFalse(lookups.isClosed());
      others.close(); // without running queries now
      assertThrows(CancellationException.class, () -> others.run(new Object(), () -> "c"));
      assertFalse(ended.isDone());
      lookups.close();
      assertTrue(lookups.isClosed());
      Exception e = assertThrows(Exception.class, ended::get);
      assertTrue(e.getCause() instanceof CancellationException, () -> e.toString());
    } finally {
      pool.shutdownNow();
    }
  }
}
