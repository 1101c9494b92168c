package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.bench.archive.HistoryFlows;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Rows a second into the archive by rows of a commit: each is sealed, indexed, synced. */
@Command(
    name = "batches",
    mixinStandardHelpOptions = true,
    description = {
      "Index rate against batch size: rows a second where each commit has so many rows.",
      "One thread sorts, seals with indexes, syncs and commits; flows have NetFlow's columns."
    })
public final class BatchSizes implements Callable<Integer> {
  private static final int BATCH_ROWS = 1000;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--batch-rows",
      split = ",",
      defaultValue = "1000,10000,100000,1000000,10000000",
      description = "Rows of a commit; default ${DEFAULT-VALUE}.")
  private List<Integer> sizes;

  @Option(
      names = "--rows",
      defaultValue = "2000000",
      description = "Rows of each measurement, one commit at least; default ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--max-commits",
      defaultValue = "500",
      description = "Commits of each measurement at most; default ${DEFAULT-VALUE}.")
  private int maxCommits;

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1 || maxCommits < 1 || sizes.stream().anyMatch(size -> size < BATCH_ROWS)) {
      throw new UsageException(
          "--rows and --max-commits are at least 1, --batch-rows at least " + BATCH_ROWS);
    }
    int needed = sizes.stream().mapToInt(this::rowsOf).max().orElseThrow();
    options.progress(String.format("generating %,d flows", needed));
    List<FlowBatch> flows = HistoryFlows.of(needed, options.seed());
    BenchResult table = new BenchResult("archive batches: rows a second by rows of a commit");
    SvgPlot plot =
        new SvgPlot("Index rate against batch size", "rows of a commit", true, "rows/s", true);
    for (int size : sizes) {
      Map<String, Object> row = measure(flows, size);
      table.row(row);
      plot.point("flowmon", size, (double) row.get("rows_per_second"));
    }
    options.show("batches", table, plot);
    return ExitCodes.DONE;
  }

  private int rowsOf(int size) {
    return Math.max(size, (int) Math.min(rows, (long) size * maxCommits) / size * size);
  }

  private Map<String, Object> measure(List<FlowBatch> flows, int size) throws IOException {
    int total = rowsOf(size);
    // The first round warms up; the longest run has no such round.
    int rounds = total > rows ? 1 : 2;
    double best = Double.MAX_VALUE;
    long bytes = 0;
    for (int round = 0; round < rounds; round++) {
      try (BenchFolder folder = BenchFolder.of("batches", null)) {
        long start = System.nanoTime();
        bytes = fill(flows, size, total, folder.path());
        best = Math.min(best, (System.nanoTime() - start) / 1e9);
      }
    }
    options.progress(String.format("commits of %,d rows: %,.0f rows/s", size, total / best));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("batch_rows", (long) size);
    row.put("commits", (long) total / size);
    row.put("rows", (long) total);
    row.put("rows_per_second", total / best);
    row.put("ms_per_commit", 1e3 * best / ((double) total / size));
    row.put("bytes_per_row", bytes / (double) total);
    return row;
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
