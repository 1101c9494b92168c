package org.flowmon.deploy.analysis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaBroker;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.control.ControlStatus;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.control.RunningAnalyses;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.parser.QueryParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon analyses list}. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the analyses of a folder or, without one, the built-in ones: which of them run"
          + " if no folder is named, windows, history, logic and sinks. With --config or"
          + " --kafka those that a job runs, as it says itself, and what it refused.",
      "With --archive also how many of its last flows become one group in their windows, and the"
          + " shortest windows in which a group has several; of a job this is of those that run."
    })
final class AnalysesListCommand implements Callable<Integer> {
  @Parameters(arity = "0..1", paramLabel = "FOLDER", description = "Files NAME.yaml.")
  private @Nullable Path folder;

  @CommandLine.Mixin private JobOptions job;

  @Option(
      names = "--archive",
      paramLabel = "DIR",
      description = "The archive whose last flows are counted, or its URL.")
  private Optional<String> archive = Optional.empty();

  @Option(
      names = "--sample",
      paramLabel = "DURATION",
      defaultValue = "1h",
      converter = DurationConverter.class,
      description = "How long before the last arrival they begin; default ${DEFAULT-VALUE}.")
  private Duration sample;

  @Option(
      names = "--reduction",
      paramLabel = "N",
      defaultValue = "10",
      description = "Flows of a group that are enough, on average; default ${DEFAULT-VALUE}.")
  private double reduction;

  @Override
  public Integer call() throws IOException {
    if (sample.toMillis() < 1000 || !(reduction >= 1)) {
      throw new UsageException("--sample is at least 1s, --reduction at least 1");
    }
    List<AnalysisConfig> listed = new ArrayList<>();
    if (job.isGiven()) {
      listed.addAll(ofJob());
    } else if (folder != null) {
      heading();
      try {
        listed.addAll(AnalysisConfig.readFolder(folder));
        listed.forEach(one -> line(one, "yes"));
      } catch (ConfigException e) {
        throw new CommandException(e.getMessage());
      }
    } else {
      heading();
      listed.addAll(AnalysisConfig.bundled());
      listed.forEach(one -> line(one, "by default"));
      AnalysisConfig.offered().forEach(one -> line(one, "if copied"));
      listed.addAll(AnalysisConfig.offered());
    }
    if (archive.isPresent()) {
      reductions(listed, archive.get());
    }
    return ExitCodes.DONE;
  }

  private List<AnalysisConfig> ofJob() {
    if (folder != null) {
      throw new UsageException("analyses list: a folder or a job, not both");
    }
    JobConfig.Kafka kafka = job.kafka();
    List<AnalysisConfig> started = job.started();
    KafkaBroker.mustAnswer(kafka.clientProperties(), KafkaBroker.PATIENCE);
    try {
      ControlTopic topic = new ControlTopic(kafka);
      topic.createIfMissing();
      ControlStatus.Said said = ControlStatus.read(kafka);
      AnalysisSet set = new AnalysisSet(started);
      JobListing listing = new JobListing(topic.name(), set, said, job.knowsFolder());
      topic.read().changes().forEach(listing::add);
      heading();
      listing.rows().forEach(row -> line(row.analysis(), row.runs()));
      listing.remarks().forEach(System.err::println);
      if (archive.isPresent() && !listing.unknown().isEmpty()) {
        System.err.println(
            "not counted over the archive, as their files are not known here: "
                + String.join(", ", listing.unknown())
                + (job.knowsFolder() ? "" : "; --config knows those of the job's folder"));
      }
      return listing.known();
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }

  private static void heading() {
    System.out.printf(
        "%-20s %-8s %-8s %-8s %-10s %-14s %s%n",
        "analysis", "window", "slide", "history", "runs", "logic", "sinks");
  }

  private void reductions(List<AnalysisConfig> listed, String place) throws IOException {
    try (ArchiveSnapshots asked = new ArchiveSnapshots(List.of(location(place)))) {
      ArchiveSnapshot snapshot = asked.all().get(0);
      Optional<Long> last = WindowReduction.lastArrival(snapshot, QueryOptions.DEFAULTS);
      if (last.isEmpty()) {
        throw new CommandException("the archive at " + place + " holds no flows");
      }
      System.out.printf(
          "%nof what arrived within %s up to %s%n", text(sample), FlowTime.instant(last.get()));
      System.out.printf(
          "%-20s %-8s %14s %12s %14s  %s%n",
          "analysis", "window", "flows", "groups", "flows : groups", "recommended window");
      for (AnalysisConfig one : listed) {
        QueryOptions options =
            QueryOptions.DEFAULTS.withEnrichment(
                EnrichmentFiles.of(
                    QueryParser.parseQuery(one.live().query()),
                    job.enrichment(),
                    System.err::println));
        reduction(one, WindowReduction.of(snapshot, one, last.get(), sample, options));
      }
    }
  }

  private static ArchiveLocation location(String place) {
    try {
      return ArchiveLocation.parse(place, Map.of());
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    }
  }

  private void reduction(AnalysisConfig one, WindowReduction counted) {
    String recommended =
        counted
            .recommended(reduction)
            .map(found -> text(found.micros()))
            .orElseGet(
                () ->
                    String.format(
                        "none up to %s, which has %.1f",
                        text(counted.longest().micros()), counted.longest().flowsPerGroup()));
    if (counted.own().isEmpty()) {
      System.out.printf(
          "%-20s %-8s %14s %12s %14s  %s%n",
          one.name(), text(one.live().window()), "-", "-", "-", recommended);
      return;
    }
    WindowReduction.Measured own = counted.own().get();
    System.out.printf(
        "%-20s %-8s %,14d %,12d %14.1f  %s%n",
        one.name(),
        text(own.micros()),
        own.flows(),
        own.groups(),
        own.flowsPerGroup(),
        recommended);
  }

  private static String text(long micros) {
    return text(Duration.ofNanos(micros * 1000));
  }

  private static void line(AnalysisConfig one, String runs) {
    line(RunningAnalyses.Running.of(one, 0), runs);
  }

  private static void line(RunningAnalyses.Running one, String runs) {
    System.out.printf(
        "%-20s %-8s %-8s %-8s %-10s %-14s %s%n",
        one.name(),
        text(one.window()),
        text(one.slide()),
        one.hasHistory() ? "yes" : "no",
        runs,
        one.logic(),
        String.join(", ", one.sinks()));
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    return millis % 3_600_000 == 0
        ? millis / 3_600_000 + "h"
        : millis % 60_000 == 0
            ? millis / 60_000 + "m"
            : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
