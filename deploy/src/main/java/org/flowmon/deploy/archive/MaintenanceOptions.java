package org.flowmon.deploy.archive;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import org.flowmon.archive.Archive;
import org.flowmon.archive.lease.MaintenanceLock;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code --archive} and {@code --grace} of commands that replace an archive's files: one works at a
 * time, and damaged segments are left alone.
 */
final class MaintenanceOptions {
  @Mixin private ArchiveOption archive;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "How long replaced files stay, for readers on other hosts; readers on this host are"
              + " known (default: ${DEFAULT-VALUE}).")
  private Duration grace = Duration.ZERO;

  /** Work on an archive that no other process maintains meanwhile. */
  @FunctionalInterface
  interface Work {
    int on(Archive archive) throws IOException;
  }

  /**
   * Opens the archive, deletes what dead writers left, and works.
   *
   * @throws CommandException if another process maintains the archive
   */
  int run(Work work) throws IOException {
    try (Archive opened = archive.open()) {
      OrphanRemoval.sweep(opened); // first: on a full disk nothing else may work
      try (MaintenanceLock lock = opened.tryMaintenance()) {
        if (lock == null) {
          throw new CommandException(
              "another process compacts, repacks or expires "
                  + archive.location()
                  + ", as a job does by itself; nothing was changed: try again when it is done");
        }
        return work.on(opened);
      }
    }
  }

  /** Deletes the files of replaced segments whose grace is over; returns of how many. */
  int removeReplaced(Archive opened) throws IOException {
    return opened.removeReplaced(grace).size();
  }

  /** Names damaged segments; returns the exit code. */
  static int exitCode(Collection<?> damaged) {
    damaged.forEach(
        id ->
            System.err.println(
                "segment " + id + " is damaged and was left alone: see flowmon verify"));
    return damaged.isEmpty() ? ExitCodes.DONE : ExitCodes.NO;
  }
}
