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
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.live.FollowedLog;
import org.flowmon.ingest.file.live.FollowedLog.Place;
import org.flowmon.ingest.file.live.LiveSource;
import org.flowmon.ingest.file.live.LiveStream;
import org.flowmon.ingest.file.live.LogHeader;
import org.flowmon.ingest.file.live.PipeSource;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of inputs to which more comes while they are read: {@code --follow} and so on. */
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
              + " the next run goes on after this one. May be repeated.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--until-idle",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "End when --follow or --from-topic has given nothing for so long.")
  private @Nullable Duration untilIdle;

  private long lastTaken = -1;
  private long takenNanos;
  private @Nullable TopicSource messages;

  /** Whether to wait for more, after so many bytes: until {@code --until-idle} has passed. */
  public boolean isWaitedFor(long taken) {
    if (taken != lastTaken || (messages != null && !messages.hasBegun())) {
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

    /** The stream of the source as the readers' input. */
    public FlowInput input(LiveStream stream) {
      return source instanceof FollowedLog
          ? FlowInput.followed(name, stream)
          : FlowInput.live(name, stream);
    }

    /** The place in a log up to which so many bytes were taken; empty if it is no log. */
    public Optional<Place> place(long taken) {
      return source instanceof FollowedLog followed
          ? Optional.of(followed.place(taken))
          : Optional.empty();
    }

    /** The flows up to here are stored: a topic's group need not read them again. */
    public void commit(long taken) {
      if (source instanceof TopicSource messages) {
        messages.commit(taken);
      }
    }
  }

  public boolean isGiven() {
    return log != null || topic != null;
  }

  /** The log, if it is one: reading can go on from a place in it. */
  public Optional<Path> log() {
    return Optional.ofNullable(log);
  }

  /** The log or topic, for messages. */
  public Path name() {
    return log != null ? log : Path.of(String.valueOf(topic));
  }

  /**
   * Throws {@link UsageException} naming what is wrong or missing.
   *
   * @param kafka the properties of the Kafka that the command uses anyway; empty if it uses none
   */
  public void check(Map<String, ?> kafka) {
    if (log != null && topic != null) {
      throw new UsageException("--follow or --from-topic, not both");
    }
    if (topic != null && !consumer(kafka).containsKey("bootstrap.servers")) {
      throw new UsageException("--from-topic needs --from-kafka HOST:PORT");
    }
  }

  private Map<String, Object> consumer(Map<String, ?> kafka) {
    Map<String, Object> all = new HashMap<>();
    if (bootstrap == null) {
      all.putAll(kafka);
    } else {
      all.put("bootstrap.servers", bootstrap);
    }
    all.putAll(properties);
    return all;
  }

  /**
   * Opens the input, which {@link #check} found right.
   *
   * @param from the place in a log to go on from
   */
  public Live open(Optional<Place> from, Map<String, ?> kafka, FileReadOptions options)
      throws IOException {
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
    boolean isProtobuf = options.format().equals(Optional.of(InputFormat.GOFLOW2_PROTOBUF.label()));
    messages = new TopicSource(topic, consumer(kafka), isProtobuf);
    return new Live(name(), messages);
  }

  /** Standard input. */
  public static Live standardInput() {
    return new Live(Path.of("-"), new PipeSource(System.in));
  }
}
