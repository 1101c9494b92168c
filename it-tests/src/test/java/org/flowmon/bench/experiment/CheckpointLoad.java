package org.flowmon.bench.experiment;

import java.io.IOException;
import java.time.Duration;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.WorkloadBatches;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.flow.FlowBatch;

/**
 * Loads an archive like a job's checkpoints, but on one thread: commits rows, then merges, trims
 * and deletes, then updates the host directory. Loading and upkeep are timed separately.
 */
public final class CheckpointLoad implements AutoCloseable {
  private static final int WARM_UP_ROWS = 1_000_000;

  private final Archive archive;
  private final int commitRows;
  private final Compactor compactor;
  private final WorkloadBatches batches = new WorkloadBatches();
  private final Spent loading = new Spent();
  private final Spent upkeep = new Spent();
  private ArchiveImporter importer;
  private long rows;
  private long inCommit;
  private long commits;
  private long rewritten;

  /**
   * @param commitRows approximate rows of a commit: batches are not cut
   */
  public CheckpointLoad(Archive archive, int commitRows) {
    this.archive = archive;
    this.commitRows = commitRows;
    this.compactor = new Compactor(archive, CompactionOptions.DEFAULTS);
  }

  /** Compiles the code of loading, so that the first rows are not slow. */
  public static void warmUp(long rows, long seed, int commitRows) throws IOException {
    GeneratedWorkload workload = new GeneratedWorkload(Math.min(rows, WARM_UP_ROWS), ~seed);
    try (BenchFolder scratch = BenchFolder.of("warm-up");
        Archive archive =
            Archive.create(scratch.path().resolve("archive"), ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, commitRows)) {
      workload.read(load::add);
      load.finish();
    }
  }

  /** Adds rows; commits if there are enough. */
  public void add(FlowBlock block) throws IOException {
    loading.begin();
    batches.write(block, this::add);
    loading.end();
  }

  private void add(FlowBatch batch) throws IOException {
    if (importer == null) {
      ImportedFile file = new ImportedFile(String.format("%064x", commits), "bench", commitRows);
      importer = new ArchiveImporter(archive, file, false);
    }
    importer.add(batch);
    inCommit += batch.rows();
    if (inCommit >= commitRows) {
      commit();
    }
  }

  /** Commits the rows while {@link #loading} runs. */
  private void commit() throws IOException {
    importer.commit("flowmon bench archive");
    importer = null;
    rows += inCommit;
    inCommit = 0;
    commits++;
    loading.end();
    upkeep.begin();
    for (Compactor.Step step = compactor.step(() -> false);
        step != null;
        step = compactor.step(() -> false)) {
      rewritten += step.rows();
      archive.removeReplaced(Duration.ZERO);
    }
    archive.removeReplaced(Duration.ZERO);
    archive.updateDirectory(false, () -> false);
    archive.updateDays(CompactionOptions.DEFAULTS::settled, false, () -> false);
    upkeep.end();
    loading.begin();
  }

  /** Commits the remaining rows. */
  public void finish() throws IOException {
    if (importer != null) {
      loading.begin();
      commit();
      loading.end();
    }
  }

  /** Committed rows. */
  public long rows() {
    return rows;
  }

  public long commits() {
    return commits;
  }

  /** Rows rewritten by merges and trimming. */
  public long rewritten() {
    return rewritten;
  }

  /** Time of sealing and committing. */
  public Spent loading() {
    return loading;
  }

  /** Time of merging, trimming, deleting, and of the host directory. */
  public Spent upkeep() {
    return upkeep;
  }

  /** Deletes sealed segments that are not committed. */
  @Override
  public void close() throws IOException {
    if (importer != null) {
      importer.close();
    }
  }
}
