package org.flowmon.deploy.analysis;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.kafka.KafkaBroker;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.control.ControlStatus;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.udaf.pane.WindowSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon analyses add} and {@code remove}: change the analyses of running jobs. */
public final class AnalysesChangeCommands {
  private AnalysesChangeCommands() {}

  /** A change: an analysis's text, if it is not to be removed; a remark if it is not refused. */
  private record Planned(
      String name,
      Optional<String> text,
      Optional<AnalysisConfig> analysis,
      Optional<String> remark) {}

  /** Which window is the first that begins after {@code now}, and when its report comes. */
  public static String firstReport(AnalysisConfig analysis, Instant now) {
    WindowSpec window = LiveQuery.window(analysis);
    long slide = window.slideMicros();
    long begin = Math.floorDiv(FlowTime.micros(now) + slide - 1, slide) * slide;
    long end = begin + window.widthMicros();
    long due = window.revised() ? end : end + window.latenessMicros();
    return "its first report comes at "
        + FlowTime.text(due)
        + ", of the window from "
        + FlowTime.text(begin)
        + " on, the first that it sees whole (by the clock of the flows' arrival)";
  }

  /** Sends changes and reports their outcome. */
  private abstract static class Change implements Callable<Integer> {
    @Mixin private JobOptions job;

    @Option(
        names = "--wait",
        paramLabel = "DURATION",
        description =
            "How long to wait for a job's answer. Default: ${DEFAULT-VALUE}; 0s: not at all. A"
                + " broker has 10 s to answer, with a shorter wait 5 s.",
        defaultValue = "30s",
        converter = DurationConverter.class)
    private Duration wait;

    abstract List<Planned> changes();

    EnrichmentConfig enrichment() {
      return job.enrichment();
    }

    @Override
    public Integer call() {
      try {
        JobConfig.Kafka kafka = job.kafka();
        List<Planned> changes = changes();
        KafkaBroker.mustAnswer(kafka.clientProperties(), KafkaBroker.patience(wait));
        ControlTopic topic = new ControlTopic(kafka);
        topic.createIfMissing();
        int refused = 0;
        for (Planned change : changes) {
          long version = topic.send(change.name(), change.text().orElse(null));
          if (say(kafka, change, version)) {
            change.remark().ifPresent(remark -> System.out.println(change.name() + ": " + remark));
          } else {
            refused++;
          }
        }
        return refused == 0 ? ExitCodes.DONE : ExitCodes.NO;
      } catch (ConfigException e) {
        throw new CommandException(e.getMessage());
      }
    }

    private boolean say(JobConfig.Kafka kafka, Planned planned, long version) {
      String name = planned.name();
      String change = name + " (change " + version + " of topic " + kafka.analysesTopic() + ")";
      if (wait.isZero()) {
        System.out.println(change + " is sent");
        return true;
      }
      Optional<ControlStatus.Outcome> outcome = ControlStatus.await(kafka, name, version, wait);
      if (outcome.isEmpty()) {
        System.out.println(change + " is sent; no job has answered: one that starts will take it");
        return true;
      }
      if (outcome.get().isRefused()) {
        System.out.println(change + " is refused: " + outcome.get().message());
        return false;
      }
      System.out.println(
          change
              + planned
                  .analysis()
                  .map(analysis -> " runs; " + firstReport(analysis, Instant.now()))
                  .orElse(" no longer runs"));
      return true;
    }
  }

  /** {@code flowmon analyses add}. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {
        "Adds analyses to the jobs that read a Kafka, or changes those of the same names: while"
            + " they run, and for those that start later. Other analyses go on unchanged.",
        "The exit code is 1 if a job refuses one."
      },
      footer = {"", "Example:", "  flowmon analyses add --config flowmon.yaml analyses/mice.yaml"})
  static final class Add extends Change {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of analyses.")
    private List<Path> files;

    @Override
    List<Planned> changes() {
      Map<String, Planned> changes = new LinkedHashMap<>();
      for (Path file : files) {
        AnalysisConfig analysis = AnalysisConfig.read(file, enrichment());
        JobAnalyses.check(List.of(analysis));
        Planned change =
            new Planned(
                analysis.name(),
                Optional.of(AnalysisConfig.wholeTextOf(file, enrichment())),
                Optional.of(analysis),
                Optional.of(afterwards(analysis)));
        if (changes.put(analysis.name(), change) != null) {
          throw new ConfigException(file + ": name: '" + analysis.name() + "' is given twice");
        }
      }
      return List.copyOf(changes.values());
    }

    private static String afterwards(AnalysisConfig analysis) {
      if (analysis.publishesStates()) {
        return "its states go to the topic of the job's site";
      }
      List<String> places = new ArrayList<>();
      if (analysis.sinks().contains("kafka")) {
        places.add("topic " + KafkaReports.TOPIC_PREFIX + analysis.name());
      }
      if (analysis.sinks().contains("postgres")) {
        places.add("table report_" + analysis.name() + " of the job's database, if it has one");
      }
      return places.isEmpty()
          ? "its reports go nowhere, as it has no sinks"
          : "its reports go to " + String.join(" and ", places);
    }
  }

  /** {@code flowmon analyses remove}. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = {
        "Removes analyses from the jobs that read a Kafka, also those of their folders. Windows"
            + " that are open are not reported; what was reported stays."
      },
      footer = {"", "Example:", "  flowmon analyses remove --config flowmon.yaml mice"})
  static final class Remove extends Change {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of analyses.")
    private List<String> names;

    @Override
    List<Planned> changes() {
      return names.stream()
          .distinct()
          .map(name -> new Planned(name, Optional.empty(), Optional.empty(), Optional.empty()))
          .toList();
    }
  }
}
