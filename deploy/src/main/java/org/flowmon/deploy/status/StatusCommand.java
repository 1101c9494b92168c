package org.flowmon.deploy.status;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.HttpUrl;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaBroker;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.remote.HttpSource;
import org.flowmon.deploy.serve.flows.CollectorClient;
import org.flowmon.deploy.serve.flows.CollectorOption;
import org.flowmon.jobs.config.job.JobConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon status}: is the job alive, how far, what lags, what is lost. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Tells on one screen whether the job is alive, how far it is, what lags and what is lost:"
          + " from Flink's REST, Kafka, the archive and the collector's --http, as far as they are"
          + " named. --config names Kafka and the archive.",
      "Exit code 0: alive and well. 1: the job is not alive, or a part is wrong or does not answer."
          + " 3: Flink does not answer, so it cannot tell."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon status --config flowmon.yaml",
      "  flowmon status --flink http://flink:8081 --kafka localhost:9092 --archive DIR --json"
    })
public final class StatusCommand implements Callable<Integer> {
  private static final int WIDTH = 80;
  private static final int NAME = 11;
  private static final int STATE = 9;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  @Mixin private KafkaOptions kafka;

  @Mixin private CollectorOption collector;

  @Option(
      names = "--flink",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8081",
      description = "Flink's REST; default ${DEFAULT-VALUE}.")
  private String flink;

  @Option(
      names = "--job",
      paramLabel = "NAME",
      description = "The job's name in Flink; default: the last whose name begins with 'flowmon '.")
  private Optional<String> job = Optional.empty();

  @Option(
      names = "--archive",
      paramLabel = "DIR",
      description = "The archive's directory or URL; default: that of --config.")
  private Optional<String> archive = Optional.empty();

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "The topic of flows; default: that of --config, else flows.")
  private Optional<String> topic = Optional.empty();

  @Option(
      names = "--group",
      paramLabel = "NAME",
      description = "The job's consumer group; default: that of --config, else flowmon.")
  private Optional<String> group = Optional.empty();

  @Option(
      names = "--max-lag",
      paramLabel = "DURATION",
      defaultValue = "2m",
      converter = DurationConverter.class,
      description =
          "How far behind the job's commits, and how old its last checkpoint, may be; default"
              + " ${DEFAULT-VALUE}.")
  private Duration maxLag;

  @Option(names = "--json", description = "One JSON object in place of the screen.")
  private boolean json;

  private final Instant now = Instant.now();
  private final Map<String, Map<String, Long>> losses = new TreeMap<>();
  private boolean isAlive;

  /** Both are in Kafka. */
  private record OfKafka(Part lag, Part reports) {}

  @Override
  public Integer call() throws IOException {
    ServicesLog.quiet();
    URI place = HttpUrl.parse("--flink", flink, "http://127.0.0.1:8081");
    HttpSource rest = new HttpSource("Flink", place, Optional.empty());
    Part collected = collector();
    OfKafka ofKafka = kafka();
    Part archived = archive();
    Part theJob = job(rest, ofKafka.reports);
    List<Part> parts = List.of(theJob, collected, ofKafka.lag, archived, ofKafka.reports);
    int code = code(theJob, parts);
    if (json) {
      writeJson(parts, code);
    } else {
      parts.forEach(part -> print(part.name(), part.state().toString(), part.lines()));
      print("lost", "", lost());
    }
    return code;
  }

  private static int code(Part job, List<Part> parts) {
    if (job.state() == Part.State.UNKNOWN) {
      return ExitCodes.FAILED;
    }
    boolean isWell =
        parts.stream()
            .allMatch(part -> part.state() == Part.State.OK || part.state() == Part.State.ABSENT);
    return isWell ? ExitCodes.DONE : ExitCodes.NO;
  }

  private Part job(HttpSource rest, Part reports) {
    String sign =
        reports
            .facts()
            .text("last")
            .map(last -> "; its last report was written " + Part.time(Instant.parse(last), now))
            .orElse("");
    FlinkStatus status = new FlinkStatus(rest, maxLag, now);
    try {
      Part part = status.job(job, sign);
      losses.put("job", status.losses());
      isAlive = status.isAlive();
      return part;
    } catch (IOException e) {
      return Part.of(
          "job",
          Part.State.UNKNOWN,
          "cannot tell: Flink does not answer at " + flink + "; --flink URL names its REST" + sign);
    }
  }

  private Part collector() {
    Optional<CollectorClient> client = collector.client();
    if (client.isEmpty()) {
      return Part.of("collector", Part.State.ABSENT, "--collector URL names its --http");
    }
    try {
      CollectorStatus status = new CollectorStatus(client.get());
      Part part = status.part(now);
      losses.put("collector", status.losses());
      return part;
    } catch (IOException e) {
      return Part.of("collector", Part.State.UNKNOWN, String.valueOf(e.getMessage()));
    }
  }

  private OfKafka kafka() {
    if (!kafka.isGiven()) {
      return new OfKafka(
          Part.of("kafka", Part.State.ABSENT, "--config FILE or --kafka HOST:PORT names it"),
          Part.of("reports", Part.State.ABSENT, "they are in Kafka"));
    }
    Optional<JobConfig.Kafka> ofJob = kafka.job().map(JobConfig::kafka);
    Map<String, Object> client = kafka.client();
    try {
      KafkaBroker.mustAnswer(client, PATIENCE);
      try (KafkaStatus status = new KafkaStatus(client, now)) {
        return new OfKafka(
            status.lag(
                topic.orElse(ofJob.map(JobConfig.Kafka::topic).orElse("flows")),
                group.orElse(ofJob.map(JobConfig.Kafka::group).orElse("flowmon")),
                maxLag),
            status.reports());
      }
    } catch (CommandException | KafkaException e) {
      return new OfKafka(
          Part.of("kafka", Part.State.UNKNOWN, String.valueOf(e.getMessage())),
          Part.of("reports", Part.State.UNKNOWN, "they are in Kafka"));
    }
  }

  private Part archive() {
    Optional<ArchiveLocation> location;
    try {
      location = archive.map(address -> ArchiveLocation.parse(address, Map.of()));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    }
    return location
        .or(() -> kafka.job().flatMap(read -> Optional.ofNullable(read.archive())))
        .map(place -> ArchiveStatus.of(place, now))
        .orElseGet(
            () -> Part.of("archive", Part.State.ABSENT, "--config FILE or --archive DIR names it"));
  }

  private List<String> lost() {
    List<String> lines = new ArrayList<>();
    losses.forEach(
        (who, counts) -> {
          List<String> words = new ArrayList<>();
          counts.forEach(
              (name, count) -> {
                if (count > 0) {
                  words.add("%s %,d".formatted(name, count));
                }
              });
          lines.add(
              "by the " + who + ": " + (words.isEmpty() ? "nothing" : String.join(", ", words)));
        });
    if (lines.isEmpty()) {
      lines.add("cannot tell: neither the job nor a collector was asked");
    }
    return lines;
  }

  private void writeJson(List<Part> parts, int code) throws IOException {
    Facts all = new Facts();
    all.value(
        "status",
        switch (code) {
          case ExitCodes.DONE -> "ok";
          case ExitCodes.NO -> isAlive ? "degraded" : "not_alive";
          default -> "unknown";
        });
    all.value("time", now.toString());
    for (Part part : parts) {
      part.facts().value("state", part.state().toString());
      part.facts().value("detail", String.join("; ", part.lines()));
      all.value(part.name(), part.facts());
    }
    Facts lost = new Facts();
    losses.forEach(
        (who, counts) -> {
          Facts of = new Facts();
          counts.forEach(of::value);
          lost.value(who, of);
        });
    all.value("lost", lost);
    OutputStreamWriter out = new OutputStreamWriter(System.out, StandardCharsets.UTF_8);
    all.writeJson(out);
    out.flush();
  }

  /** Wraps the lines at the screen's width. */
  private static void print(String name, String state, List<String> lines) {
    String head = pad(name, NAME) + pad(state, STATE);
    for (String line : lines) {
      StringBuilder row = new StringBuilder(head);
      for (String word : line.split(" ", -1)) {
        if (row.length() + word.length() > WIDTH && row.length() > NAME + STATE) {
          System.out.println(row.toString().stripTrailing());
          row = new StringBuilder(" ".repeat(NAME + STATE));
        }
        row.append(word).append(' ');
      }
      System.out.println(row.toString().stripTrailing());
      head = " ".repeat(NAME + STATE);
    }
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }
}
