package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.command.BytesConverter;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.files.PrivateFolder;
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

  /**
   * Opens a spool for each publisher, in a folder by its number. Behind these come spools with
   * flows of an earlier run that had more publishers. Without the option there are none.
   */
  List<Spool> open(String topic, int publishers) {
    List<Spool> all = new ArrayList<>();
    if (folder.isEmpty()) {
      return all;
    }
    if (bytes / publishers < LEAST_BYTES) {
      throw new UsageException(
          "--spool-bytes is " + bytes + ": expected 64m or more for each socket");
    }
    try {
      Path own =
          PrivateFolder.create(
              folder.get(), PrivateFolder.Readers.NONE, "name another one by --spool");
      for (int i = 0; i < publishers || Files.isDirectory(own.resolve("" + i)); i++) {
        Spool one = Spool.open(own.resolve("" + i), bytes / publishers, topic);
        if (i < publishers || one.hasUnread()) {
          all.add(one);
        } else {
          one.close();
        }
      }
      return all;
    } catch (IOException e) {
      close(all);
      throw new CommandException("--spool: " + e.getMessage());
    }
  }

  static void close(List<Spool> spools) {
    for (Spool one : spools) {
      try {
        one.close();
      } catch (IOException e) {
        System.err.println("--spool: " + e.getMessage());
      }
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
            + load.damagedBytes()
            + " spool_read_errors="
            + stats.disk().readErrors();
  }
}
