package org.flowmon.jobs.replay;

import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.jobs.topic.KafkaTopics;

/**
 * A replay as a bounded job of a cluster, whose reports go to a topic of their own:
 *
 * <pre>
 *   flink run flowmon-job.jar --config flowmon.yaml --replay ANALYSIS --from TIME --to TIME
 *
 *   … report ──► replay-messages ──► replay-reports     topic flowmon.replays.ANALYSIS
 * </pre>
 *
 * <p>Checkpoints hold the read position and open windows' groups. After a failure it goes on from
 * the last, over the archive as it is then. Messages since come again: the same if the range had
 * been archived whole and none of it has expired.
 */
public record ReplayJob(JobConfig config, ReplaySpec spec, String topic) {
  public static final String TOPIC_PREFIX = "flowmon.replays.";

  public static final String REPLAY = "--replay";

  private static final String USAGE =
      "expected --config FILE --replay NAME|FILE.yaml --from TIME --to TIME [--topic TOPIC], with"
          + " times such as 2026-11-21T08:00:00Z";
  private static final Set<String> KEYS = Set.of("--config", REPLAY, "--from", "--to", "--topic");

  /** Throws {@link ConfigException} for a fault in the command line, a named file or analysis. */
  public static ReplayJob parse(String[] arguments) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (!KEYS.contains(arguments[i]) || i + 1 == arguments.length) {
        throw new ConfigException(USAGE + ", found " + List.of(arguments));
      }
      if (given.put(arguments[i], arguments[i + 1]) != null) {
        throw new ConfigException(arguments[i] + " is given twice");
      }
    }
    String file = required("--config", given);
    String wanted = required(REPLAY, given);
    String from = required("--from", given);
    String to = required("--to", given);
    JobConfig config = JobConfig.read(Path.of(file));
    if (config.archive() == null) {
      throw new ConfigException(file + ": archive: is missing, but a replay reads it");
    }
    AnalysisConfig analysis = analysis(config, wanted);
    JobAnalyses.check(List.of(analysis));
    config.job().budget().check(List.of(analysis));
    ReplaySpec spec =
        new ReplaySpec(
            List.of(config.archive()),
            analysis,
            time("--from", from),
            time("--to", to),
            config.job().historyDelay(),
            config.job().disorderBound(),
            config.enrichment());
    String topic = given.getOrDefault("--topic", TOPIC_PREFIX + analysis.name());
    return new ReplayJob(config, spec, topic);
  }

  private static String required(String key, Map<String, String> given) {
    String value = given.get(key);
    if (value == null) {
      throw new ConfigException(key + " is missing; " + USAGE);
    }
    return value;
  }

  private static AnalysisConfig analysis(JobConfig config, String wanted) {
    if (wanted.endsWith(".yaml") || wanted.endsWith(".yml")) {
      return AnalysisConfig.read(Path.of(wanted), config.enrichment());
    }
    List<AnalysisConfig> known = new ArrayList<>(JobAnalyses.of(config));
    return known.stream()
        .filter(one -> one.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigException(
                    "%s: there is no analysis '%s' among %s, and it is no file NAME.yaml"
                        .formatted(
                            REPLAY, wanted, known.stream().map(AnalysisConfig::name).toList())));
  }

  private static long time(String key, String text) {
    try {
      Instant time = Instant.parse(text);
      return Math.addExact(
          Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1000);
    } catch (DateTimeException | ArithmeticException e) {
      throw new ConfigException(
          key + ": expected a time such as 2026-11-21T08:00:00Z, found '" + text + "'", e);
    }
  }

  /** Adds the replay, ready to run; creates the topic. Fails if the archive cannot be read. */
  public void build(StreamExecutionEnvironment env) throws IOException {
    FlowmonJob.configure(env, config);
    KafkaTopics.createIfMissing(config.kafka().clientProperties(), List.of(topic));
    KafkaReports.messagesTo(topic, Replay.reports(env, spec, config.job().maxParallelism()))
        .name("replay-messages")
        .uid("replay-messages")
        .sinkTo(KafkaReports.sink(config.kafka()))
        .name("replay-reports")
        .uid("replay-reports");
  }
}
