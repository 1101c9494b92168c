package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.InputOptions;
import org.flowmon.deploy.input.LiveOptions;
import org.flowmon.deploy.input.PacketsOption;
import org.flowmon.deploy.input.PlaceFile;
import org.flowmon.deploy.input.ReadAccount;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.live.FollowedLog.Place;
import org.flowmon.ingest.file.live.LiveStream;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.RejectedLines;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.PublisherOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon publish}: reads files, a pipe, a log or a topic, and publishes their flows. */
@Command(
    name = "publish",
    mixinStandardHelpOptions = true,
    description = {
      "Publishes the flows of files to Kafka, for the job: all formats of flowmon import. - is"
          + " standard input; --follow reads a log as it grows, --from-topic another topic.",
      "Flows of files arrive by the file's own clock, live ones when they are read."
    })
public final class PublishCommand implements Callable<Integer> {
  /** When flows arrive. */
  enum Arrival {
    /** By the times of the flows. */
    FILE,
    /** When they are read. */
    NOW
  }

  private static final long SAVE_NANOS = Duration.ofSeconds(5).toNanos();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "Files; - is standard input.")
  private List<Path> files = List.of();

  @Mixin private LiveOptions live;

  @Mixin private InputOptions input;

  @Mixin private KafkaOptions kafka;

  @Mixin private PacketsOption packets;

  @Mixin private TopicOptions topic;

  @Option(
      names = "--arrival",
      paramLabel = "file|now",
      description =
          "When flows arrive: by their own times, as a file of the past wants it, or when they are"
              + " read. Default: file for files, now for live inputs.")
  private Arrival arrival;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description =
          "The file in which --follow keeps how far the log was published, to go on from there;"
              + " without it the log is read from its beginning. Flows of the last seconds may be"
              + " sent twice after a crash.")
  private Path state;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = "The file for lines that are not flows, with line and reason.")
  private Path rejectsFile;

  private final ReadAccount account = new ReadAccount("published", "not read to its end");

  @SuppressWarnings("NullAway.Init") // call() sets it
  private CountingSink sink;

  @SuppressWarnings("NullAway.Init") // call() sets it
  private Interruption interruption;

  @Override
  public Integer call() throws IOException {
    if (files.isEmpty() == !live.isGiven()) {
      throw new UsageException("expected FILE…, --follow LOG or --from-topic TOPIC");
    }
    if (state != null && live.log().isEmpty()) {
      throw new UsageException("--state goes with --follow");
    }
    live.check(kafka.client());
    FileReadOptions asked = packets.applyTo(input.applyTo(FileReadOptions.defaults()));
    PublisherOptions options =
        PublisherOptions.of(kafka.bootstrap())
            .withTopic(topic.name(kafka))
            .withProperties(kafka.properties());
    KafkaBroker.mustAnswer(kafka.client(), KafkaBroker.PATIENCE);
    topic.ensure(options);
    try (Interruption watched = Interruption.watch();
        RejectedLines rejects = rejects();
        FlowPublisher publisher = FlowPublisher.open(options)) {
      interruption = watched;
      sink = new CountingSink(publisher);
      FileReadOptions reading = asked.withRejects(rejects);
      if (live.isGiven()) {
        follow(reading, publisher);
      } else {
        publishFiles(reading, publisher);
      }
      publisher.flush();
      tellEnd(publisher, options.topic());
    }
    return account.code();
  }

  private RejectedLines rejects() {
    return rejectsFile == null
        ? RejectedLines.countOnly()
        : RejectedLines.to(rejectsFile, () -> interruption.check());
  }

  private void publishFiles(FileReadOptions reading, FlowPublisher publisher) {
    Arrival usual = files.contains(Path.of("-")) ? Arrival.NOW : Arrival.FILE;
    boolean isNow = (arrival == null ? usual : arrival) == Arrival.NOW;
    FileReadOptions options =
        isNow ? reading.withClock(ArrivalClock.ofWall(FlowTime::now)) : reading;
    for (Path file : files) {
      if (interruption.isStopped()) {
        return;
      }
      long before = sink.rows;
      try {
        FileSummary summary =
            file.toString().equals("-")
                ? readLive(LiveOptions.standardInput(), options, publisher)
                : InputOptions.open(file, options).read(sink);
        tell(summary);
      } catch (NoSuchFileException e) {
        account.fail(file, "no such file", 0);
      } catch (UnknownFormatException e) {
        account.fail(file, String.valueOf(e.getMessage()), 0);
      } catch (IOException e) {
        account.fail(file, String.valueOf(e.getMessage()), sink.rows - before);
      }
    }
    if (!isNow && sink.rows > 0) {
      publisher.endOfFile(sink.lastArrival);
    }
  }

  private void follow(FileReadOptions reading, FlowPublisher publisher) throws IOException {
    boolean isNow = arrival != Arrival.FILE;
    FileReadOptions options =
        isNow ? reading.withClock(ArrivalClock.ofWall(FlowTime::now)) : reading;
    Optional<Place> from = state == null ? Optional.empty() : PlaceFile.read(state);
    tell(readLive(live.open(from, kafka.client(), options), options, publisher));
  }

  private FileSummary readLive(
      LiveOptions.Live source, FileReadOptions options, FlowPublisher publisher)
      throws IOException {
    Progress progress = new Progress(source, publisher);
    try (LiveStream stream = new LiveStream(source.source(), progress)) {
      FileSummary summary = FlowFiles.open(source.input(stream), options).read(sink);
      progress.save();
      return summary;
    }
  }

  /** Lets Kafka know the time while nothing comes, and keeps how far the input was published. */
  private final class Progress implements LiveStream.Waiting {
    private final LiveOptions.Live source;
    private final FlowPublisher publisher;
    private long taken;
    private long savedTaken;
    private long savedNanos = System.nanoTime();

    Progress(LiveOptions.Live source, FlowPublisher publisher) {
      this.source = source;
      this.publisher = publisher;
    }

    @Override
    public boolean goOn(long bytes) throws IOException {
      taken = bytes;
      publisher.tick(FlowTime.now());
      if (System.nanoTime() - savedNanos >= SAVE_NANOS) {
        save();
      }
      return !interruption.isStopped() && live.isWaitedFor(bytes);
    }

    void save() throws IOException {
      savedNanos = System.nanoTime();
      if (taken == savedTaken) {
        return;
      }
      publisher.flush();
      savedTaken = taken;
      source.commit(taken);
      Optional<Place> place = state == null ? Optional.empty() : source.place(taken);
      if (place.isPresent()) {
        PlaceFile.write(state, place.get());
      }
    }
  }

  private void tell(FileSummary summary) {
    account.add(summary);
    ReadAccount.tell(summary, " read");
    if (summary.damage() != null) {
      account.fail(summary.file(), summary.damage(), summary.rows());
    } else if (summary.rows() == 0 && summary.rejectedTotal() > 0) {
      account.fail(summary.file(), "nothing in it is a flow", 0);
    }
  }

  private void tellEnd(FlowPublisher publisher, String to) {
    var stats = publisher.stats();
    System.out.printf(
        "%d flows read, %d in topic %s%s; lost: %s%n",
        sink.rows,
        stats.flowsProduced(),
        to,
        stats.flowsFailed() == 0 ? "" : ", not sent " + stats.failedByReason(),
        account.lost());
    if (stats.flowsFailed() > 0) {
      account.atLeast(ExitCodes.FAILED);
    }
  }

  private static final class CountingSink implements FlowSink {
    private final FlowPublisher publisher;

    @SuppressWarnings("NullAway.Init") // builder() comes first
    private FlowBatchBuilder builder;

    private long rows;
    private long lastArrival = Long.MIN_VALUE;

    CountingSink(FlowPublisher publisher) {
      this.publisher = publisher;
    }

    @Override
    public FlowBatchBuilder builder() {
      builder = publisher.builder();
      return builder;
    }

    @Override
    public void rowsEnded(int count) {
      for (int row = builder.rows() - count; row < builder.rows(); row++) {
        lastArrival = Math.max(lastArrival, builder.getLong(FlowColumn.ARRIVAL, row));
      }
      rows += count;
      publisher.rowsEnded(count);
    }
  }
}
