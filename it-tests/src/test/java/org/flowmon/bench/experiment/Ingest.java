package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.bench.archive.HistoryFlows;
import org.flowmon.flow.FlowBatch;

/**
 * A thread that loads flows into an archive, commit after commit, until it is stopped. It pauses
 * when the archive has ten times its initial flows: on a busy machine the concurrent lookups take
 * long, and their data must not grow without bound.
 */
final class Ingest implements AutoCloseable {
  private static final int ROWS_OF_A_COMMIT = 100_000;
  private static final int MOST_TIMES = 10;
  private static final long LEAST_ROWS = 2_000_000;

  private final Archive archive;
  private final List<FlowBatch> flows;
  private final int rowsOfCommit;
  private final Thread thread = new Thread(this::run, "bench-ingest");
  private final long mostRows;
  private volatile boolean stopped;
  private volatile Exception failure;
  private long rows;
  private long nanos;

  private Ingest(Archive archive, List<FlowBatch> flows) throws IOException {
    this.archive = archive;
    this.flows = flows;
    this.rowsOfCommit = flows.stream().mapToInt(FlowBatch::rows).sum();
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      this.mostRows = Math.max(LEAST_ROWS, MOST_TIMES * snapshot.rows());
    }
  }

  /** Starts with flows of {@link HistoryFlows}, and returns after the first commit. */
  static Ingest into(Archive archive, long seed) throws IOException {
    return into(archive, HistoryFlows.of(ROWS_OF_A_COMMIT, seed));
  }

  /** Starts with these flows in each commit, and returns after the first commit. */
  static Ingest into(Archive archive, List<FlowBatch> flows) throws IOException {
    Ingest ingest = new Ingest(archive, flows);
    ingest.commit(-1);
    ingest.thread.start();
    return ingest;
  }

  private void run() {
    long start = System.nanoTime();
    try {
      for (long n = 0; !stopped && rows < mostRows; n++) {
        commit(n);
        rows += rowsOfCommit;
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
    nanos = System.nanoTime() - start;
  }

  private void commit(long number) throws IOException {
    // A prefix that differs from those of the archive's first files.
    ImportedFile file = new ImportedFile(String.format("f%063x", number), "ingest", rowsOfCommit);
    try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
      for (FlowBatch batch : flows) {
        importer.add(batch);
      }
      importer.commit("bench");
    }
  }

  /** Waits for the last commit. */
  Ingest stop() throws IOException {
    stopped = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new IOException("taking in flows beside the lookups failed: " + failure, failure);
    }
    return this;
  }

  /** The rate, after {@link #stop}. */
  double rowsPerSecond() {
    return rows / (nanos / 1e9);
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
