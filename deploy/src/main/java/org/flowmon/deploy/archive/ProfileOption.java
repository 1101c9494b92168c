package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.Optional;
import org.flowmon.archive.Archive;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** {@code --profile}: how an archive seals segments from now on. */
final class ProfileOption {
  @Option(
      names = "--profile",
      paramLabel = "lookup|compact",
      description = {
        "How the archive seals segments from now on: for lookups of single rows, or for few bytes.",
        "Further options may follow, in quotes: 'compact codec=zstd:9 page=1048576"
            + " index=+service'. See docs/archive.md. Default: as the archive is set."
      })
  private Optional<String> profile = Optional.empty();

  void check() {
    var unused = options();
  }

  void applyTo(Archive archive) throws IOException {
    Optional<SegmentOptions> options = options();
    if (options.isPresent()) {
      archive.setSegmentOptions(options.get());
    }
  }

  private Optional<SegmentOptions> options() {
    try {
      return profile.map(SegmentOptions::parse);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--profile: " + e.getMessage());
    }
  }
}
