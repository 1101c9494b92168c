package org.flowmon.deploy.archive;

import java.io.IOException;
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
  private String profile = "";

  void check() {
    if (!profile.isEmpty()) {
      var unused = parse();
    }
  }

  void applyTo(Archive archive) throws IOException {
    if (!profile.isEmpty()) {
      archive.setSegmentOptions(parse());
    }
  }

  private SegmentOptions parse() {
    try {
      return SegmentOptions.parse(profile);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--profile: " + e.getMessage());
    }
  }
}
