package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/** The time until an abandoned query ends. */
public final class Cancellations implements Experiment {
  private static final double LIMIT_MS = 100;
  private static final long LONGEST_NANOS = 20_000_000_000L;

  private Archive archive;
  private QueryOptions how;
  private ScheduledExecutorService clients;

  @Override
  public void run(Run run) throws IOException {
    GeneratedWorkload workload = new GeneratedWorkload(run.number("rows"), run.number("seed"));
    run.progress("loading %s", workload.description());
    archive = run.open(Archive.create(run.folder().resolve("archive"), ArchiveOptions.DEFAULTS));
    how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    try (CheckpointLoad load = new CheckpointLoad(archive, run.integer("commit-rows"))) {
      workload.read(load::add);
      load.finish();
    }
    clients = Executors.newSingleThreadScheduledExecutor();
    run.open(clients::shutdownNow);
    for (var query : run.textsOf("queries").entrySet()) {
      measure(run, query.getKey(), QueryParser.parseQuery(query.getValue()));
    }
  }

  private void measure(Run run, String name, Query query) throws IOException {
    SplittableRandom random = new SplittableRandom(run.number("seed"));
    long whole = 0;
    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      ask(query, LONGEST_NANOS, false);
      whole = System.nanoTime() - start;
    }
    List<Double> millis = new ArrayList<>();
    for (int round = 0; round < run.integer("rounds"); round++) {
      double ms = ask(query, random.nextLong(whole), round % 2 == 1);
      if (ms >= 0) {
        millis.add(ms);
      }
    }
    Samples samples = Samples.of(millis);
    run.add(
        new Row()
            .put("query", name)
            .put("takes", whole / 1e6)
            .put("given_up", samples.size())
            .put("median", samples.size() == 0 ? 0 : samples.median())
            .put("max", samples.size() == 0 ? 0 : samples.most()));
    run.expect(
        samples.size() == 0 || samples.most() <= LIMIT_MS,
        "%s: took more than %.0f ms to end",
        name,
        LIMIT_MS);
  }

  /** Ms from the cancellation of a query to its end, −1 if it had ended before. */
  private double ask(Query query, long afterNanos, boolean isInterrupted) throws IOException {
    AtomicLong leftAt = new AtomicLong();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread asking = Thread.currentThread();
    QueryOptions untilGone = how.withIsGone(() -> !isInterrupted && leftAt.get() > 0);
    var leaves =
        clients.schedule(
            () -> {
              if (leftAt.compareAndSet(0, System.nanoTime()) && isInterrupted) {
                asking.interrupt();
              }
              interrupted.set(true);
            },
            afterNanos,
            TimeUnit.NANOSECONDS);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      ArchiveQuery.run(List.of(snapshot), query, untilGone);
      return -1;
    } catch (QueryCancelledException e) {
      return (System.nanoTime() - leftAt.get()) / 1e6;
    } finally {
      leaves.cancel(false);
      boolean hasLeft = !leftAt.compareAndSet(0, -1);
      while (hasLeft && !interrupted.get()) {
        Thread.onSpinWait(); // until this round's interrupt has arrived
      }
      var unused = Thread.interrupted();
    }
  }
}
