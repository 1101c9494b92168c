package org.flowmon.deploy.input;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.live.FollowedLog;
import org.flowmon.ingest.file.live.FollowedLog.Place;
import org.flowmon.ingest.file.live.LiveSource;
import org.flowmon.ingest.file.live.LogHeader;
import org.flowmon.ingest.file.live.PipeSource;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Inputs that go on while they are read. */
public final class LiveOptions {
  private static final int HEAD = 1 << 16;

  @Option(
      names = "--follow",
      paramLabel = "LOG",
      description =
          "A log of text that is read as it grows, over rotations, until the command is stopped.")
  private @Nullable Path log;

  @Option(
      names = "--from-topic",
      paramLabel = "TOPIC",
      description =
          "A topic whose messages are lines of text, or GoFlow2's protobuf, read until the command"
              + " is stopped.")
  private @Nullable String topic;

  @Option(
      names = "--from-kafka",
      paramLabel = "HOST:PORT",
      description = "The Kafka of --from-topic.")
  private @Nullable String bootstrap;

  @Option(
      names = "--from-property",
      paramLabel = "KEY=VALUE",
      description =
          "A property of the consumer of --from-topic, for example group.id=flowmon: with a group"
              + " it goes on where it was. May be repeated.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--until-idle",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "End when --follow or --from-topic has given nothing for so long.")
  private @Nullable Duration untilIdle;

  private long lastTaken = -1;
  private long takenNanos;

  /** Whether to go on although nothing came since the last of these calls, maybe. */
  public boolean isWaitedFor(long taken) {
    if (taken != lastTaken) {
      lastTaken = taken;
      takenNanos = System.nanoTime();
    }
    return untilIdle == null || System.nanoTime() - takenNanos < untilIdle.toNanos();
  }

  /** A live input, named for messages. */
  public static final class Live {
    private final Path name;
    private final LiveSource source;

    private Live(Path name, LiveSource source) {
      this.name = name;
      this.source = source;
    }

    public Path name() {
      return name;
    }

    public LiveSource source() {
      return source;
    }

    /** What is in the log's file, and where; empty if it is no log. */
    public Optional<Place> place(long taken) {
      return source instanceof FollowedLog followed
          ? Optional.of(followed.place(taken))
          : Optional.empty();
    }

    /** What was given up to here is safe, and need not be given again. */
    public void commit(long taken) {
      if (source instanceof TopicSource messages) {
        messages.commit(taken);
      }
    }
  }

  public boolean isGiven() {
    return log != null || topic != null;
  }

  /** Whether it is a log, which has places to go on from. */
  public Optional<Path> log() {
    return Optional.ofNullable(log);
  }

  /**
   * Opens the input.
   *
   * @param from of a log: where it goes on
   * @param kafka the properties of the Kafka that the command uses anyway, if it does
   */
  public Live open(Optional<Place> from, Map<String, ?> kafka, FileReadOptions options)
      throws IOException {
    if (log != null && topic != null) {
      throw new UsageException("--follow or --from-topic, not both");
    }
    if (log != null) {
      if (!Files.exists(log)) {
        throw new NoSuchFileException(log.toString(), null, "no such file");
      }
      byte[] head = FlowInput.of(log).head(HEAD);
      byte[] header = LogHeader.of(head, options.columns(), options.source());
      return new Live(log, new FollowedLog(log, from, header));
    }
    if (topic == null) {
      throw new IllegalStateException("no live input is given");
    }
    Map<String, Object> all = new HashMap<>(kafka);
    if (bootstrap != null) {
      all.clear();
      all.put("bootstrap.servers", bootstrap);
    }
    all.putAll(properties);
    if (!all.containsKey("bootstrap.servers")) {
      throw new UsageException("--from-topic needs --from-kafka HOST:PORT");
    }
    return new Live(Path.of(topic), new TopicSource(topic, all));
  }

  /** Standard input. */
  public static Live standardInput() {
    return new Live(Path.of("-"), new PipeSource(System.in));
  }
}
