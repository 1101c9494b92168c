package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.archive.Archives;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.merge.WindowResult;
import org.junit.jupiter.api.Test;

/** Lookups on their threads, and answers that are kept for a period. */
class HistoryLookupTest extends HistoryFixture {
  @Test
  void aLookupThatHasItsAnswerIsKeptNoLonger() throws Exception {
    archive(END, flow(A, 1, 10));
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
      lookup(archive, pool, "60000", answer).start();
      assertEquals(HistoryStatus.EXACT, answer.get().status());
      assertEquals(0, pool.waiting(), "its window would be there for a minute");
    }
  }

  @Test
  void aLookupOfATaskThatHasEndedAsksNothing() throws Exception {
    archive(END, flow(A, 1, 10));
    RunningLookups lookups = new RunningLookups();
    lookups.close();
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
      lookup(archive, pool, "60000", lookups, answer).start();
      assertEquals(HistoryStatus.FAILED, answer.get().status());
      assertEquals("the task has ended", answer.get().message());
    }
  }

  @Test
  void aLookupThatFindsNoThreadIsRefusedAndWaitsWhileItMay() throws Exception {
    archive(END, flow(A, 1, 10));
    CountDownLatch busy = new CountDownLatch(1);
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      assertTrue(pool.tryRun(() -> await(busy)));
      CompletableFuture<HistoryAnswer> refused = new CompletableFuture<>();
      lookup(archive, pool, "200", refused).start();
      CompletableFuture<HistoryAnswer> patient = new CompletableFuture<>();
      lookup(archive, pool, "60000", patient).start();
      assertEquals(HistoryStatus.REFUSED, refused.get().status());
      assertTrue(refused.get().message().contains("too many at once"), refused.get().message());
      assertEquals(0, ranNanos.get());
      busy.countDown();
      assertEquals(HistoryStatus.EXACT, patient.get().status());
    }
  }

  @Test
  void aLookupThatGetsNoThreadOfTheSystemIsInNoOthersWay() throws Exception {
    archive(END, flow(A, 1, 10));
    Semaphore permits = new Semaphore(1);
    try (Archives archive = opened();
        LookupPool pool =
            new LookupPool(
                1,
                1 << 20,
                task -> {
                  throw new OutOfMemoryError("unable to create native thread");
                })) {
      HistoryLookup lookup =
          new HistoryLookup(
              new AnalysisLookups(archive, hourly(), pool, permits, new RunningLookups()),
              window(100, A, 60),
              true,
              (answer, waited, ran) -> {});
      assertThrows(OutOfMemoryError.class, lookup::start);
      assertEquals(1, permits.availablePermits(), "after a window's lookup");
      LookAhead ahead =
          new LookAhead(
              new AnalysisLookups(archive, hourly(), pool, permits, new RunningLookups()),
              10 * SECOND);
      assertThrows(OutOfMemoryError.class, () -> ahead.after(END));
      assertEquals(1, permits.availablePermits(), "after one ahead of a window");
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void anAnswerThatIsKeptWaitsForNoOtherLookup() throws Exception {
    archive(END + HOUR, new Flow(A, END - DAY, END - DAY, 10));
    HistoryQuery query =
        new HistoryQuery(
            hourly("elephants", "end_time < :now"), DELAY, TOPIC, Duration.ZERO, cache());
    WindowResult window = window(100, A, 60);
    try (Archives archive = opened();
        LookupPool pool = pool(1)) {
      HistoryAnswer exact = runOver(archive, query, window, Duration.ofMinutes(1));
      CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
      Semaphore taken = new Semaphore(0); // by a lookup of another period
      new HistoryLookup(
              new AnalysisLookups(archive, query, pool, taken, new RunningLookups()),
              window,
              true,
              (given, waited, ran) -> answer.complete(given))
          .start();
      assertSame(exact, answer.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void aLookupWhoseKeptAnswerHoldsNoMoreGoesOnOnItsThread() throws Exception {
    archive(END + HOUR, new Flow(A, END - DAY, END - DAY, 10));
    WindowResult window = window(100, A, 60);
    for (int refused = 0; refused < 2; refused++) {
      HistoryQuery query = hourly();
      try (Archives archive = opened();
          LookupPool pool = pool(1)) {
        HistoryAnswer before = runOver(archive, query, window, Duration.ofMinutes(1));
        importFile(new Flow(A, END - DAY, END - DAY, 1000));
        AskedPermits permits = new AskedPermits(refused);
        CompletableFuture<HistoryAnswer> answer = new CompletableFuture<>();
        new HistoryLookup(
                new AnalysisLookups(archive, query, pool, permits, new RunningLookups()),
                window,
                true,
                (given, waited, ran) -> answer.complete(given))
            .start();
        long bytes = bytes(before.rows().orElseThrow()).get(A + " 1");
        assertEquals(
            Map.of(A + " 1", bytes + 1000),
            bytes(answer.get(30, TimeUnit.SECONDS).rows().orElseThrow()));
        String own = Thread.currentThread().getName();
        assertEquals(
            refused == 0 ? List.of(own) : List.of(own, "history-lookup"), permits.askedBy());
      }
    }
  }

  /** Permits that signal a request. */
  private static final class AskedPermits extends Semaphore {
    private static final long serialVersionUID = 1L;
    private final int refused;
    private final List<String> askedBy = new ArrayList<>();

    AskedPermits(int refused) {
      super(1);
      this.refused = refused;
    }

    @Override
    public synchronized boolean tryAcquire() {
      askedBy.add(Thread.currentThread().getName());
      return askedBy.size() > refused && super.tryAcquire();
    }

    synchronized List<String> askedBy() {
      return List.copyOf(askedBy);
    }
  }

  @Test
  void aLookupThatWouldReadTooManyRowsIsRefused() throws Exception {
    archive(END, flow(A, 1, 10), flow(A, 2, 20), flow(B, 2, 30));
    for (long rows : new long[] {2, 3}) {
      AnalysisConfig config = elephants("elephants", "5000");
      AnalysisConfig.History history = config.history();
      AnalysisConfig limited =
          new AnalysisConfig(
              "elephants",
              config.live(),
              new AnalysisConfig.History(
                  history.query(), null, null, history.concurrency(), history.timeout(), rows),
              config.report(),
              config.sinks(),
              List.of(),
              Places.NONE);
      HistoryAnswer answer = run(List.of(limited), window(100, A, 60, B, 40)).get("elephants");
      if (rows == 2) {
        assertEquals(HistoryStatus.REFUSED, answer.status(), answer.message());
        assertTrue(answer.message().contains("more than 2 rows"), answer.message());
        assertTrue(answer.message().contains("history.rows"), answer.message());
        assertEquals(Optional.empty(), answer.rows());
      } else {
        assertEquals(HistoryStatus.EXACT, answer.status(), answer.message());
      }
    }
  }

  @Test
  void aStoreThatDoesNotAnswerHoldsUpNeitherTheCallerNorTheTimeouts() throws Exception {
    archive(END, flow(A, 1, 10));
    try (Archives archive = opened();
        LookupPool pool = pool(2)) {
      // The next commit is a pipe without a writer: its readers wait.
      Path pipe = nextCommit();
      assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
      CompletableFuture<HistoryAnswer> one = new CompletableFuture<>();
      CompletableFuture<HistoryAnswer> two = new CompletableFuture<>();
      CompletableFuture<HistoryAnswer> noThread = new CompletableFuture<>();
      lookup(archive, pool, "1000", one).start();
      lookup(archive, pool, "1000", two).start();
      lookup(archive, pool, "1000", noThread).start();
      assertEquals(HistoryStatus.TIMEOUT, one.get().status());
      assertEquals(HistoryStatus.TIMEOUT, two.get().status());
      assertEquals(HistoryStatus.REFUSED, noThread.get().status());
      Files.newOutputStream(pipe).close(); // lets the readers go
    }
  }

  private Path nextCommit() throws Exception {
    try (Stream<Path> files = Files.list(directory.resolve("manifest"))) {
      Path last =
          files
              .filter(file -> file.getFileName().toString().endsWith(".commit"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
      String name = last.getFileName().toString();
      String number = name.substring(0, name.indexOf('.'));
      String next = String.format("%0" + number.length() + "d", Long.parseLong(number) + 1);
      return last.resolveSibling(name.replace(number, next));
    }
  }

  @Test
  void thePoolIsSharedAndClosedWithItsLastUser() {
    LookupPool one = LookupPool.acquire();
    LookupPool two = LookupPool.acquire();
    assertTrue(one == two);
    one.close();
    assertTrue(two.tryRun(() -> {}), "still open");
    two.close();
    assertTrue(!two.tryRun(() -> {}), "closed");
    LookupPool three = LookupPool.acquire();
    assertNotNull(three);
    assertTrue(three != two);
    three.close();
  }
}
