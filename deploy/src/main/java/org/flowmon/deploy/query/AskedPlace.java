package org.flowmon.deploy.query;

import java.util.Optional;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.remote.ServerOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;

/** {@code --archive} or {@code --server}: one of the two; a group of options for picocli. */
public final class AskedPlace {
  @ArgGroup(exclusive = false, multiplicity = "1")
  private @Nullable ArchiveOption archive;

  @ArgGroup(exclusive = false, multiplicity = "1")
  private @Nullable ServerOption server;

  /** The archive, if it is the one that is asked; {@code place} is null if none is given. */
  public static Optional<ArchiveOption> archive(@Nullable AskedPlace place) {
    return Optional.ofNullable(place == null ? null : place.archive);
  }

  /** The server that is given, else that of the environment. */
  public static ServerOption server(@Nullable AskedPlace place) {
    return Optional.ofNullable(place == null ? null : place.server)
        .or(ServerOption::ofEnvironment)
        .orElseThrow(
            () ->
                new UsageException(
                    "--archive DIR is missing, or --server URL of a running flowmon serve"));
  }
}
