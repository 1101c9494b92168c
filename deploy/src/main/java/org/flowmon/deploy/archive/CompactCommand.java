package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon compact}: merges small segments of an archive into large ones. */
@Command(
    name = "compact",
    mixinStandardHelpOptions = true,
    description = {
      "Merges small segments of an archive into large ones, which lookups find faster.",
      "Deletes files that dead writers left. No answer changes; queries and a job that writes"
          + " may go on meanwhile. Ctrl-C stops it after the segment that is being written, and"
          + " nothing is lost."
    })
public final class CompactCommand implements Callable<Integer> {
  @Mixin private MaintenanceOptions maintenance;

  @Option(
      names = "--target-rows",
      paramLabel = "N",
      description = "Rows of a segment of the newest day, about (default: ${DEFAULT-VALUE}).")
  private int targetRows = CompactionOptions.DEFAULTS.targetRows();

  @Option(
      names = "--final-rows",
      paramLabel = "N",
      description = "Rows of a segment of a day that is over, about (default: ${DEFAULT-VALUE}).")
  private int finalRows = CompactionOptions.DEFAULTS.finalRows();

  @Override
  public Integer call() throws IOException {
    CompactionOptions options = options();
    try (Interruption interruption = Interruption.watch()) {
      return maintenance.run(opened -> compact(opened, options, interruption::isStopped));
    }
  }

  private CompactionOptions options() {
    if (targetRows < 2) {
      throw new UsageException("--target-rows: expected at least 2, found " + targetRows);
    }
    try {
      return new CompactionOptions(targetRows, Math.max(targetRows, finalRows));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--target-rows, --final-rows: " + e.getMessage());
    }
  }

  /** Compacts until done; if told to end, only to the end of the current segment. */
  private int compact(Archive opened, CompactionOptions options, BooleanSupplier stopped)
      throws IOException {
    int before;
    try (ArchiveSnapshot snapshot = opened.snapshot()) {
      before = snapshot.segments().size();
    }
    Compactor compactor = new Compactor(opened, options);
    long rows = 0;
    int deleted = 0;
    long begun = System.nanoTime();
    for (Compactor.Step step = compactor.step(stopped);
        step != null;
        step = compactor.step(stopped)) {
      rows += step.rows();
      deleted += maintenance.removeReplaced(opened);
      System.err.printf(
          "merged %d segments into %d: %,d flows, %.1f → %.1f MB%n",
          step.replaced(),
          step.written(),
          step.rows(),
          step.bytesBefore() / 1e6,
          step.bytesAfter() / 1e6);
    }
    deleted += maintenance.removeReplaced(opened);
    RunUpdate.Done hosts = opened.updateDirectory(true, stopped);
    if (!hosts.isNothing()) {
      System.err.printf(
          "host directory: %d segments added, %d runs merged, %d damaged ones made again%n",
          hosts.covered(), hosts.merged(), hosts.damaged());
    }
    RunUpdate.Done days = opened.updateDays(options::settled, true, stopped);
    if (!days.isNothing()) {
      System.err.printf(
          "day sums: %d segments added, %d runs merged, %d damaged ones made again%n",
          days.covered(), days.merged(), days.damaged());
    }
    double seconds = Math.max(1e-9, (System.nanoTime() - begun) / 1e9);
    int code = MaintenanceOptions.exitCode(compactor.damaged());
    try (ArchiveSnapshot now = opened.snapshot()) {
      System.out.printf(
          "%d segments became %d; %,d flows rewritten in %.1f s (%,.0f/s); files of %d segments"
              + " deleted%s%n",
          before,
          now.segments().size(),
          rows,
          seconds,
          rows / seconds,
          deleted,
          stopped.getAsBoolean() ? "; stopped before the end" : "");
    }
    return code;
  }
}
