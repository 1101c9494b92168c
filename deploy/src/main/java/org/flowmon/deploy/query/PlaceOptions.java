package org.flowmon.deploy.query;

import java.io.IOException;
import java.util.Optional;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.remote.FlinkOption;
import org.flowmon.deploy.remote.ServerOption;
import org.flowmon.jobs.distributed.DistributedQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Who answers queries, {@code --archive} or {@code --server}, and with what. */
public final class PlaceOptions {
  @ArgGroup(multiplicity = "0..1")
  private @Nullable AskedPlace place;

  @ArgGroup(exclusive = false, multiplicity = "0..1")
  private @Nullable FlinkOption flink;

  @Mixin private EnrichOption enrich;

  @Option(names = "--threads", defaultValue = "1", description = "Threads; default 1.")
  private int threads;

  @Mixin private LimitOptions limits;

  /** Throws {@link UsageException} if a number is not possible. */
  public void check() {
    if (threads < 1) {
      throw new UsageException("--threads is at least 1");
    }
    limits.check();
  }

  private Optional<DistributedQuery> cluster() throws IOException {
    if (flink == null) {
      return Optional.empty();
    }
    if (threads > 1 || enrich.isGiven() || limits.haveCounts()) {
      throw new UsageException(
          "--threads, --enrich, --row-limit and --byte-limit are for a query without --flink");
    }
    return Optional.of(flink.open());
  }

  /**
   * Opens the archives, or makes a client of the server.
   *
   * @param isVerified whether checksums are verified, which a server does as it was started
   */
  public QueryPlace open(boolean isVerified) throws IOException {
    Optional<ArchiveOption> archive = AskedPlace.archive(place);
    if (archive.isPresent()) {
      QueryOptions options =
          QueryOptions.DEFAULTS.withThreads(threads).withVerifyChecksums(isVerified);
      return new ArchivePlace(archive.get(), enrich, limits.limit(options), cluster());
    }
    if (flink != null) {
      throw new UsageException("--flink needs --archive DIR, which the cluster reads");
    }
    ServerOption server = AskedPlace.server(place);
    if (threads > 1 || !isVerified || enrich.isGiven()) {
      throw new UsageException(
          "--threads, --no-verify and --enrich are for --archive: a server reads as it was"
              + " started");
    }
    return new ServerPlace(server.client(), limits);
  }
}
