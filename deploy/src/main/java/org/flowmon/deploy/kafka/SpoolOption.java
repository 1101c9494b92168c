package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.flowmon.archive.store.PrivateFolder;
import org.flowmon.deploy.command.BytesConverter;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.publish.PublisherStats;
import org.flowmon.ingest.spool.Spool;
import picocli.CommandLine.Option;

/** {@code --spool}: where flows wait while Kafka is away. */
final class SpoolOption {
  private static final long LEAST_BYTES = 64L << 20; // several batches of the largest size

  @Option(
      names = "--spool",
      paramLabel = "DIR",
      description =
          "While Kafka is away, flows wait in files there, also over a restart, and are sent in"
              + " their order. A folder of this collector's own, which is made if it is missing;"
              + " without it flows wait in memory only.")
  private Optional<Path> folder = Optional.empty();

  @Option(
      names = "--spool-bytes",
      paramLabel = "BYTES",
      defaultValue = "10g",
      converter = BytesConverter.class,
      description =
          "The most that they take there, as 512m or 10g; beyond it memory fills, and then the"
              + " newest flows are dropped and counted. Default ${DEFAULT-VALUE}.")
  private long bytes;

  /** Opens the spool, if there is to be one. */
  Optional<Spool> open(String topic) {
    if (folder.isEmpty()) {
      return Optional.empty();
    }
    if (bytes < LEAST_BYTES) {
      throw new UsageException("--spool-bytes is " + bytes + ": expected 64m or more");
    }
    try {
      Path own =
          PrivateFolder.create(
              folder.get(), PrivateFolder.Readers.NONE, "name another one by --spool");
      return Optional.of(Spool.open(own, bytes, topic));
    } catch (IOException e) {
      throw new CommandException("--spool: " + e.getMessage());
    }
  }

  /** What the line of counts says of it; nothing without a spool. */
  static String counts(PublisherStats stats) {
    Spool.Load load = stats.disk().load();
    return load.capacityBytes() == 0
        ? ""
        : " spool_flows="
            + load.flows()
            + " spool_bytes="
            + load.bytes()
            + " spool_oldest_seconds="
            + load.oldestMicros() / 1_000_000
            + " flows_recovered="
            + stats.flowsRecovered()
            + " spool_damaged_bytes="
            + load.damagedBytes();
  }
}
