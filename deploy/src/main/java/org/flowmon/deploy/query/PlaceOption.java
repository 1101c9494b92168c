package org.flowmon.deploy.query;

import java.io.IOException;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.remote.ServerOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;

/** {@code --archive} or {@code --server}: who answers. */
public final class PlaceOption {
  @ArgGroup(exclusive = false, multiplicity = "1")
  private @Nullable ArchiveOption archive;

  @ArgGroup(exclusive = false, multiplicity = "1")
  private @Nullable ServerOption server;

  /**
   * Opens the archives, or makes a client of the server.
   *
   * @param given null if the command line has neither
   * @param options of archives, without limits
   * @param local whether an option is given that only an archive of this process can follow
   */
  public static QueryPlace open(
      @Nullable PlaceOption given,
      EnrichOption enrich,
      LimitOptions limits,
      QueryOptions options,
      boolean local)
      throws IOException {
    ArchiveOption archive = given == null ? null : given.archive;
    if (archive != null) {
      return new ArchivePlace(archive, enrich, limits.limit(options));
    }
    ServerOption server = given == null ? null : given.server;
    if (server == null) {
      server =
          ServerOption.ofEnvironment()
              .orElseThrow(
                  () ->
                      new UsageException(
                          "--archive DIR is missing, or --server URL of a running flowmon serve"));
    }
    if (local || enrich.isGiven()) {
      throw new UsageException(
          "--threads, --no-verify and --enrich are for --archive: a server reads as it was"
              + " started");
    }
    return new ServerPlace(server.client(), limits);
  }
}
