package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ingest rate and disk usage over time, with and without a limit of rows. */
@Command(
    name = "retention",
    mixinStandardHelpOptions = true,
    description = {
      "The same rows go into two archives, some at a time into the one, then into the other: one"
          + " keeps all, one keeps so many most recent rows. Rows a second and bytes on disk as"
          + " they grow; what is visible and stored is checked after every part."
    })
public final class RetentionRates implements Callable<Integer> {
  private static final String ALL = "all kept";
  private static final String LIMITED = "expiring";
  private static final int SHOWN = 20;
  // Including expiration, so that none of it is compiled while it is timed.
  private static final long WARM_UP_ROWS = 3_000_000;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows that go in; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--keep-rows",
      defaultValue = "2000000",
      description = "Rows that the one archive keeps; default ${DEFAULT-VALUE}.")
  private long keepRows;

  @Option(
      names = "--commit-rows",
      defaultValue = "100000",
      description = "Rows of a commit; default ${DEFAULT-VALUE}.")
  private int commitRows;

  /** One of the two archives, and its last measurements. */
  private static final class Side {
    private final String name;
    private final Archive archive;
    private final CheckpointLoad load;
    private final Path folder;
    private long rows;
    private double seconds;
    private double cpuSeconds;
    private double withUpkeep;
    private double upkeepCpu;

    Side(String name, Path folder, int commitRows) throws IOException {
      this.name = name;
      this.folder = folder;
      this.archive = Archive.create(folder, ArchiveOptions.DEFAULTS);
      this.load = new CheckpointLoad(archive, commitRows);
    }

    void close() throws IOException {
      load.close();
      archive.close();
    }
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1 || keepRows < 1 || commitRows < 1) {
      throw new UsageException("--rows, --keep-rows and --commit-rows are at least 1");
    }
    GeneratedWorkload workload = new GeneratedWorkload(rows, options.seed());
    BenchResult table =
        new BenchResult(
            String.format(
                "archive retention, %s, the last %,d kept", workload.description(), keepRows));
    SvgPlot rates = new SvgPlot("Ingest rate, merging included", "rows", false, "rows/s", false);
    SvgPlot disk = new SvgPlot("Bytes on disk", "rows", false, "bytes", false);
    options.progress("warming up");
    long few = Math.min(rows, WARM_UP_ROWS);
    load(new GeneratedWorkload(few, ~options.seed()), Math.max(1, few / 4), Long.MAX_VALUE, null);
    // The uncommitted rest of a block counts for the next step.
    long step = Math.max(1, rows / SHOWN - commitRows);
    load(workload, keepRows, step, (side, limits) -> note(side, limits, table, rates, disk));
    options.show("retention", List.of(table), rates, disk);
    return ExitCodes.DONE;
  }

  /** Takes a side after each step of rows. */
  private interface Notes {
    void take(Side side, RetentionOptions limits) throws IOException;
  }

  /**
   * Loads both archives block by block, alternating which comes first.
   *
   * @param notes null if nothing is noted
   */
  private void load(GeneratedWorkload workload, long keep, long step, Notes notes)
      throws IOException {
    try (BenchFolder folder = BenchFolder.of("retention", null)) {
      Side all = new Side(ALL, folder.path().resolve("all"), commitRows);
      Side limited = new Side(LIMITED, folder.path().resolve("expiring"), commitRows);
      try {
        RetentionOptions limits = RetentionOptions.of(keep, -1, null, 0).withSlackFor(keep);
        limited.archive.commit(
            ArchiveCommit.ofRetention(
                new RetentionChange(limits, Long.MIN_VALUE, false), "flowmon bench archive"));
        List<Side> sides = new ArrayList<>(List.of(all, limited));
        ExperimentOptions.read(
            workload,
            block -> {
              for (Side side : sides) {
                side.load.add(block);
                if (side.load.rows() - side.rows >= step) {
                  notes.take(side, limits);
                }
              }
              Collections.reverse(sides);
            });
        for (Side side : List.of(all, limited)) {
          side.load.finish();
          boolean isEnough = side.rows == 0 || side.load.rows() - side.rows >= step / 2;
          if (notes != null && isEnough) {
            notes.take(side, limits);
          }
        }
      } finally {
        all.close();
        limited.close();
      }
    }
  }

  private void note(
      Side side, RetentionOptions limits, BenchResult table, SvgPlot rates, SvgPlot disk)
      throws IOException {
    CheckpointLoad load = side.load;
    long some = load.rows() - side.rows;
    double seconds = load.loading().seconds();
    double cpu = load.loading().cpuSeconds();
    double withUpkeep = seconds + load.upkeep().seconds();
    double upkeepCpu = load.upkeep().cpuSeconds();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("archive", side.name);
    row.put("rows", load.rows());
    row.put("rows_per_second", some / (seconds - side.seconds));
    row.put("rows_per_cpu_second", some / (cpu - side.cpuSeconds));
    row.put("with_merging_rows_per_second", some / (withUpkeep - side.withUpkeep));
    row.put(
        "with_merging_rows_per_cpu_second",
        some / (cpu - side.cpuSeconds + upkeepCpu - side.upkeepCpu));
    try (ArchiveSnapshot snapshot = side.archive.snapshot()) {
      boolean isLimited = side.name.equals(LIMITED);
      long visible = isLimited ? Math.min(keepRows, load.rows()) : load.rows();
      if (snapshot.rows() != visible
          || snapshot.storedRows() > (isLimited ? limits.mostRows() : load.rows())) {
        throw new IllegalStateException(
            String.format(
                "%s: %d rows visible and %d stored of %d, limits %s",
                side.name, snapshot.rows(), snapshot.storedRows(), load.rows(), limits));
      }
      row.put("visible_rows", snapshot.rows());
      row.put("stored_rows", snapshot.storedRows());
      row.put("segments", (long) snapshot.segments().size());
    }
    // Including files that wait for their deletion.
    long bytes = BenchFolder.bytes(side.folder);
    row.put("disk_bytes", bytes);
    row.put("rewritten_per_row", load.rewritten() / (double) load.rows());
    table.row(row);
    options.progress(
        String.format("%s: %,d rows, %,d bytes on disk", side.name, load.rows(), bytes));
    rates.point(side.name, (double) load.rows(), (double) row.get("with_merging_rows_per_second"));
    disk.point(side.name, (double) load.rows(), (double) bytes);
    side.rows = load.rows();
    side.seconds = seconds;
    side.cpuSeconds = cpu;
    side.withUpkeep = withUpkeep;
    side.upkeepCpu = upkeepCpu;
  }
}
