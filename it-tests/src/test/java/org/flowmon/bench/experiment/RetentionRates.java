package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;

/** Ingest rate and disk usage over time, with and without a limit of rows. */
public final class RetentionRates implements Experiment {
  private static final String ALL = "all kept";
  private static final String LIMITED = "expiring";
  private static final int SHOWN = 20;
  // Including expiration, so that none of it is compiled while it is timed.
  private static final long WARM_UP_ROWS = 3_000_000;

  /** One of the two archives, and what it had spent when it was noted last. */
  private static final class Side implements AutoCloseable {
    private final String name;
    private final Path folder;
    private final Archive archive;
    private final CheckpointLoad load;
    private long rows;
    private double seconds;
    private double cpuSeconds;
    private double withUpkeep;
    private double withUpkeepCpu;

    Side(String name, Path folder, int commitRows) throws IOException {
      this.name = name;
      this.folder = folder;
      this.archive = Archive.create(folder, ArchiveOptions.DEFAULTS);
      this.load = new CheckpointLoad(archive, commitRows);
    }

    @Override
    public void close() throws IOException {
      load.close();
      archive.close();
    }
  }

  @Override
  public void run(Run run) throws IOException {
    long rows = run.number("rows");
    long keep = run.number("keep-rows");
    int commitRows = run.integer("commit-rows");
    GeneratedWorkload workload = new GeneratedWorkload(rows, run.number("seed"));
    run.word("workload", workload.description());
    run.progress("warming up");
    long few = Math.min(rows, WARM_UP_ROWS);
    load(
        new GeneratedWorkload(few, ~run.number("seed")),
        Math.max(1, few / 4),
        commitRows,
        Long.MAX_VALUE,
        (side, limits) -> {});
    // The uncommitted rest of a block counts for the next step.
    long step = Math.max(1, rows / SHOWN - commitRows);
    load(
        workload,
        keep,
        commitRows,
        step,
        (side, limits) -> {
          check(side, keep, limits);
          note(run, side);
        });
  }

  /** Takes a side after each step of rows. */
  private interface Notes {
    void take(Side side, RetentionOptions limits) throws IOException;
  }

  /** Loads both archives block by block, alternating which comes first. */
  private static void load(
      GeneratedWorkload workload, long keep, int commitRows, long step, Notes notes)
      throws IOException {
    try (BenchFolder folder = BenchFolder.of("retention");
        Side all = new Side(ALL, folder.path().resolve("all"), commitRows);
        Side limited = new Side(LIMITED, folder.path().resolve("expiring"), commitRows)) {
      RetentionOptions limits = RetentionOptions.of(keep, -1, null, 0).withSlackFor(keep);
      limited.archive.commit(
          ArchiveCommit.ofRetention(
              new RetentionChange(limits, Long.MIN_VALUE, false), "flowmon bench archive"));
      List<Side> sides = new ArrayList<>(List.of(all, limited));
      workload.read(
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
        if (side.rows == 0 || side.load.rows() - side.rows >= step / 2) {
          notes.take(side, limits);
        }
      }
    }
  }

  private static void check(Side side, long keep, RetentionOptions limits) throws IOException {
    boolean isLimited = side.name.equals(LIMITED);
    long loaded = side.load.rows();
    try (ArchiveSnapshot snapshot = side.archive.snapshot()) {
      Run.require(
          snapshot.rows() == (isLimited ? Math.min(keep, loaded) : loaded)
              && snapshot.storedRows() <= (isLimited ? limits.mostRows() : loaded),
          "%s: %d rows visible and %d stored of %d, limits %s",
          side.name,
          snapshot.rows(),
          snapshot.storedRows(),
          loaded,
          limits);
    }
  }

  private static void note(Run run, Side side) throws IOException {
    CheckpointLoad load = side.load;
    long some = load.rows() - side.rows;
    double seconds = load.loading().seconds();
    double cpu = load.loading().cpuSeconds();
    double withUpkeep = seconds + load.upkeep().seconds();
    double withUpkeepCpu = cpu + load.upkeep().cpuSeconds();
    try (ArchiveSnapshot snapshot = side.archive.snapshot()) {
      run.add(
          new Row()
              .put("archive", side.name)
              .put("rows", load.rows())
              .put("rows_per_second", some / (seconds - side.seconds))
              .put("rows_per_cpu_second", some / (cpu - side.cpuSeconds))
              .put("with_merging_rows_per_second", some / (withUpkeep - side.withUpkeep))
              .put("with_merging_rows_per_cpu_second", some / (withUpkeepCpu - side.withUpkeepCpu))
              .put("visible_rows", snapshot.rows())
              .put("stored_rows", snapshot.storedRows())
              .put("segments", snapshot.segments().size())
              // Including files that wait for their deletion.
              .put("disk_bytes", BenchFolder.bytes(side.folder))
              .put("rewritten_per_row", load.rewritten() / (double) load.rows()));
    }
    side.rows = load.rows();
    side.seconds = seconds;
    side.cpuSeconds = cpu;
    side.withUpkeep = withUpkeep;
    side.withUpkeepCpu = withUpkeepCpu;
  }
}
