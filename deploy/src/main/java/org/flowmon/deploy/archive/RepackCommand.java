package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.maintenance.Repacker;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code flowmon repack}: rewrites every segment of an archive. */
@Command(
    name = "repack",
    mixinStandardHelpOptions = true,
    description = {
      "Rewrites the segments of an archive in today's formats, one by one, and makes sidecars anew"
          + " that are damaged or of an older version.",
      "No answer changes; queries and a job that writes may go on meanwhile. Ctrl-C stops it after"
          + " the segment that is being written, and nothing is lost. A segment that is damaged"
          + " stays as it is and is named; the exit code is 1 then."
    })
public final class RepackCommand implements Callable<Integer> {
  @Mixin private MaintenanceOptions maintenance;

  @Mixin private ProfileOption profile;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    profile.check();
    try (Interruption interruption = Interruption.watch();
        Progress progress = progressOption.start()) {
      return maintenance.run(opened -> repack(opened, interruption, progress));
    }
  }

  private int repack(Archive opened, Interruption interruption, Progress progress)
      throws IOException {
    profile.applyTo(opened);
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
      maintenance.removeReplaced(opened);
      if (interruption.isStopped()) {
        break;
      }
    }
    progress.clear();
    int code = MaintenanceOptions.exitCode(repacker.damaged());
    try (ArchiveSnapshot now = opened.snapshot()) {
      System.out.printf(
          "%d segments with %,d flows rewritten, the archive has %.1f MB, it had %.1f MB%s%n",
          repacker.written(),
          progress.flows(),
          now.bytesOnDisk() / 1e6,
          before / 1e6,
          interruption.isStopped() ? "; stopped before the end" : "");
    }
    return code;
  }
}
