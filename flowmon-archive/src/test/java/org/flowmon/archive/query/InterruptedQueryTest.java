package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptedQueryTest {
  private static final String[] QUERIES = {
    "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr",
    "SELECT src_addr, dst_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_port",
    "SELECT bytes FROM flows WHERE src_addr = '10.0.0.74'",
    "SELECT service, MAX(bytes) AS b FROM flows GROUP BY service ORDER BY b DESC",
    "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_addr",
  };

  @TempDir Path directory;

  @Test
  void aQueryOfAnInterruptedThreadHasNoAnswerAndHurtsNoLaterOne() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        Traffic.commit(archive, new Traffic(s, true, 0.05).batches(5000, 0, 1));
      }
      archive.updateDirectory(false, () -> false);
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (String sql : QUERIES) {
          FlowQuery query = QueryParser.parse(sql);
          for (int threads = 1; threads <= 2; threads++) {
            QueryOptions options = QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(1000);
            Thread.currentThread().interrupt();
            assertThrows(
                QueryCancelledException.class,
                () -> ArchiveQuery.run(snapshot, query, options),
                sql);
            assertTrue(Thread.interrupted(), sql);
            QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
            assertEquals(0, answer.stats().warnings().size(), answer.stats().warnings()::toString);
          }
        }
      }
    }
  }

  private static BitSet all(List<SealedSegment> segments) {
    BitSet all = new BitSet();
    all.set(0, segments.size());
    return all;
  }

  /** Interrupts a thread some time after it began; true once it has. */
  private static AtomicBoolean interruptAfter(Thread thread, long nanos) {
    AtomicBoolean done = new AtomicBoolean();
    new Thread(
            () -> {
              LockSupport.parkNanos(nanos);
              thread.interrupt();
              done.set(true);
            })
        .start();
    return done;
  }

  /** At any moment of a query, including the opening of files. */
  @Test
  void anInterruptOnTheWayEndsAQueryOrNotAndHurtsNoLaterOne() throws Exception {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        Traffic.commit(archive, new Traffic(s, true, 0.05).batches(5000, 0, 1));
      }
      archive.updateDirectory(false, () -> false);
      archive.updateDays(InterruptedQueryTest::all, false, () -> false);
    }
    List<String> expected = new ArrayList<>();
    long[] nanos = new long[QUERIES.length]; // about as long as a query takes
    try (Archive archive = Archive.open(directory, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String sql : QUERIES) {
        QueryAnswer answer =
            ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS);
        expected.add(answer.table().toString());
        nanos[expected.size() - 1] = answer.stats().nanos();
      }
    }
    int cancelled = 0;
    int answered = 0;
    SplittableRandom random = new SplittableRandom(71);
    for (int round = 0; round < 40 || (round < 300 && (cancelled < 10 || answered < 10)); round++) {
      // Opened anew: each query maps segments, sidecars and runs itself.
      try (Archive archive = Archive.open(directory, ArchiveOptions.DEFAULTS);
          ArchiveSnapshot snapshot = archive.snapshot()) {
        int q = round % QUERIES.length;
        String context = "seed 71, round " + round + ": " + QUERIES[q];
        FlowQuery query = QueryParser.parse(QUERIES[q]);
        QueryOptions options =
            QueryOptions.DEFAULTS.withThreads(1 + random.nextInt(3)).withPieceRows(1000);
        AtomicBoolean done = interruptAfter(Thread.currentThread(), 1 + random.nextLong(nanos[q]));
        try {
          QueryAnswer answer = ArchiveQuery.run(snapshot, query, options);
          assertEquals(expected.get(q), answer.table().toString(), context);
          assertEquals(List.of(), answer.stats().warnings(), context);
          answered++;
          nanos[q] = answer.stats().nanos();
        } catch (QueryCancelledException e) {
          assertTrue(Thread.currentThread().isInterrupted(), context);
          cancelled++;
        }
        while (!done.get()) {
          Thread.onSpinWait();
        }
        Thread.interrupted(); // also if it came after the answer
        QueryAnswer later = ArchiveQuery.run(snapshot, query, options);
        assertEquals(expected.get(q), later.table().toString(), context);
        assertEquals(List.of(), later.stats().warnings(), context);
      }
    }
    assertTrue(cancelled >= 10 && answered >= 10, cancelled + " ended, " + answered + " answered");
  }
}
