package org.flowmon.deploy.command;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import picocli.CommandLine.Option;

/** {@code --archive DIR|URL} and its settings, the same in every command that has it. */
final class ArchiveOption {
  @Option(
      names = "--archive",
      required = true,
      paramLabel = "DIR",
      description = "The archive's directory, or its URL: s3://BUCKET/PREFIX.")
  private String address;

  @Option(
      names = "--store",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the store that the URL names; docs/archive.md lists them. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  ArchiveLocation location() {
    try {
      return ArchiveLocation.parse(address, settings);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    }
  }

  /** The archive that must be there. */
  Archive open() throws IOException {
    if (!Archive.exists(location())) {
      throw new CommandException(
          "there is no archive at " + location() + "; flowmon import or the job makes one");
    }
    return Archive.open(location(), ArchiveOptions.DEFAULTS);
  }

  /** The archive, made where there is none. */
  Archive openOrCreate() throws IOException {
    return Archive.openOrCreate(location(), ArchiveOptions.DEFAULTS);
  }
}
