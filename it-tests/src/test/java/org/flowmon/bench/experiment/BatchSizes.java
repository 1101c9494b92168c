package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.bench.archive.HistoryFlows;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.flow.FlowBatch;

/** Rows a second into the archive by rows of a commit: each is sealed, indexed, synced. */
public final class BatchSizes implements Experiment {
  @Override
  public void run(Run run) throws IOException {
    List<Integer> sizes = run.integers("batch-rows");
    int needed = sizes.stream().mapToInt(size -> rows(run, size)).max().orElseThrow();
    run.progress("generating %,d flows", needed);
    List<FlowBatch> flows = HistoryFlows.of(needed, run.number("seed"));
    for (int size : sizes) {
      int total = rows(run, size);
      // The first round warms up; the longest run has no such round.
      int rounds = total > run.integer("rows") ? 1 : 2;
      double best = Double.MAX_VALUE;
      long bytes = 0;
      for (int round = 0; round < rounds; round++) {
        try (BenchFolder folder = BenchFolder.of("batches")) {
          long start = System.nanoTime();
          bytes = fill(flows, size, total, folder.path());
          best = Math.min(best, (System.nanoTime() - start) / 1e9);
        }
      }
      run.add(
          new Row()
              .put("batch_rows", size)
              .put("commits", total / size)
              .put("rows", total)
              .put("rows_per_second", total / best)
              .put("ms_per_commit", 1e3 * best / ((double) total / size))
              .put("bytes_per_row", bytes / (double) total));
    }
  }

  /** Whole commits, at least one. */
  private static int rows(Run run, int size) {
    long most = (long) size * run.integer("max-commits");
    return Math.max(size, (int) Math.min(run.integer("rows"), most) / size * size);
  }

  private static long fill(List<FlowBatch> flows, int size, int total, Path folder)
      throws IOException {
    try (Archive archive = Archive.create(folder.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      int next = 0;
      for (int commit = 0; commit < total / size; commit++) {
        ImportedFile file = new ImportedFile(String.format("%064x", commit), "batch", size);
        try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
          for (int added = 0; added < size && next < flows.size(); next++) {
            importer.add(flows.get(next));
            added += flows.get(next).rows();
          }
          importer.commit("bench");
        }
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        return snapshot.bytesOnDisk();
      }
    }
  }
}
