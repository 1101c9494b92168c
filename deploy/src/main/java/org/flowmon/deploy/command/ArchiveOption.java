package org.flowmon.deploy.command;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import picocli.CommandLine.Option;

/** {@code --archive DIR}, the same in every command that has it. */
final class ArchiveOption {
  @Option(
      names = "--archive",
      required = true,
      paramLabel = "DIR",
      description = "The archive's directory.")
  private Path directory;

  Path directory() {
    return directory;
  }

  /** The archive that must be there. */
  Archive open() throws IOException {
    if (!Archive.exists(directory)) {
      throw new CommandException(
          "there is no archive at " + directory + "; flowmon import or the job makes one");
    }
    return Archive.open(directory, ArchiveOptions.DEFAULTS);
  }

  /** The archive, made where there is none. */
  Archive openOrCreate() throws IOException {
    return Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS);
  }
}
