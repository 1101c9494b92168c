package org.flowmon.deploy.archive;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.archive.maintenance.Repacker;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon repack}: rewrites every segment of an archive. */
@Command(
    name = "repack",
    mixinStandardHelpOptions = true,
    description = {
      "Writes the segments of an archive anew with today's formats, one by one: sidecars that are"
          + " damaged or of an older version become whole and new.",
      "No answer changes; queries and a job that writes may go on meanwhile. Ctrl-C stops it after"
          + " the segment that is being written, and nothing is lost. A segment that is damaged"
          + " stays as it is and is named; the exit code is 1 then."
    })
public final class RepackCommand implements Callable<Integer> {
  @Mixin private ArchiveOption archive;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "Files of replaced segments stay for so long, for readers on other hosts; those of this"
              + " host are known (default: ${DEFAULT-VALUE}).")
  private Duration grace = Duration.ZERO;

  @Option(
      names = "--profile",
      paramLabel = "lookup|compact",
      description =
          "How the archive seals segments from now on, as of flowmon import; default: as it is"
              + " set.")
  private String profile;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    SegmentOptions segments = ImportCommand.segmentOptions(profile);
    try (Interruption interruption = Interruption.watch();
        Progress progress = progressOption.start();
        Archive opened = archive.open();
        MaintenanceLock lock = opened.tryMaintenance()) {
      if (lock == null) {
        throw new CommandException(
            "another process compacts or repacks " + archive.location() + "; nothing was done");
      }
      if (segments != null) {
        opened.setSegmentOptions(segments);
      }
      long flows;
      long before;
      try (ArchiveSnapshot snapshot = opened.snapshot()) {
        flows = snapshot.storedRows();
        before = snapshot.bytesOnDisk();
      }
      progress.begin("repack", flows, progress::flows);
      Repacker repacker = new Repacker(opened);
      for (Repacker.Step step = repacker.step(); step != null; step = repacker.step()) {
        progress.flows(step.rows());
        opened.removeReplaced(grace);
        if (interruption.isStopped()) {
          break;
        }
      }
      progress.clear();
      repacker
          .damaged()
          .forEach(
              id ->
                  System.err.println(
                      "segment " + id + " is damaged and was left alone: see flowmon verify"));
      try (ArchiveSnapshot now = opened.snapshot()) {
        System.out.printf(
            "%d segments with %,d flows written anew, the archive has %.1f MB, it had %.1f MB%s%n",
            repacker.written(),
            progress.flows(),
            now.bytesOnDisk() / 1e6,
            before / 1e6,
            interruption.isStopped() ? "; stopped before the end" : "");
      }
      return repacker.damaged().isEmpty() ? ExitCodes.DONE : ExitCodes.NO;
    }
  }
}
