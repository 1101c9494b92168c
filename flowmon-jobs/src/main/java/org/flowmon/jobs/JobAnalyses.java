package org.flowmon.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.flowmon.jobs.alert.AlertRules;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.control.AnalysesCoordinator;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The analyses of a job, as the {@link ControlTopic} changes them, and whether it can run them. */
public final class JobAnalyses {
  private static final Logger LOG = LoggerFactory.getLogger(JobAnalyses.class);

  private JobAnalyses() {}

  /** Returns the analyses in the configured folder or, without a folder, the bundled ones. */
  public static List<AnalysisConfig> of(JobConfig config) {
    return config.analyses() == null
        ? AnalysisConfig.bundled()
        : AnalysisConfig.readFolder(Path.of(config.analyses()), config.enrichment());
  }

  /** Checks queries, windows, fit to logics without a cluster; throws {@link ConfigException}. */
  public static void check(List<AnalysisConfig> analyses) {
    LiveQuery.byId(analyses);
    for (AnalysisConfig analysis : analyses) {
      ReportLogics.of(analysis).open(analysis);
      AlertRules.check(analysis);
    }
  }

  /** Reports all errors of one analysis. After an error it goes on with independent parts. */
  public static void check(AnalysisConfig.Draft read, ErrorHandler errors) {
    AnalysisConfig analysis = read.analysis();
    AnalysisConfig rows = analysis.withoutCondition(List.of());
    if (!errors.run(() -> ReportLogics.of(rows))) {
      return;
    }
    // A logic may look at the windows, so its errors about wrong windows are not reported.
    ErrorHandler ofLogic = read.hasWindows() ? errors : error -> {};
    if (!ofLogic.run(() -> check(List.of(rows)))) {
      return;
    }
    if (analysis.report().condition() != null) {
      errors.run(() -> ReportLogics.of(analysis).open(analysis));
    }
    for (AlertConfig alert : analysis.alerts()) {
      errors.run(() -> AlertRules.check(analysis.withoutCondition(List.of(alert))));
    }
  }

  /** Throws {@link ConfigException} if a job of this configuration cannot run it. */
  public static void check(AnalysisConfig analysis, JobConfig config) {
    if (analysis.publishesStates() && config.site() == null) {
      throw analysis.error(
          "report.logic",
          "states are published in the name of a site: expected site.name in the job's"
              + " configuration");
    }
    if (analysis.history() != null && config.merge() != null) {
      throw analysis.error(
          "history",
          "a job that merges the states of sites has no archive of their flows: expected none");
    }
    if (config.merge() != null && !ReportLogics.seen(analysis).isEmpty()) {
      throw analysis.error(
          "report.query",
          "a job that merges the states of sites has no archive of their flows: expected no SEEN");
    }
  }

  /** As {@link #check(AnalysisConfig, JobConfig)} of all; logs once what files would give. */
  static void checkAll(List<AnalysisConfig> analyses, JobConfig config) {
    analyses.forEach(analysis -> check(analysis, config));
    logWhatIsNull(analyses, config.enrichment());
  }

  /** The bundled analyses are made to run without files: a warning is only of others. */
  private static void logWhatIsNull(List<AnalysisConfig> analyses, EnrichmentConfig files) {
    Map<Boolean, List<AnalysisConfig>> bundled =
        analyses.stream()
            .collect(
                Collectors.partitioningBy(
                    analysis -> AnalysisConfig.names().contains(analysis.name())));
    whatIsNull(bundled.getOrDefault(true, List.of()), files).forEach(LOG::info);
    whatIsNull(bundled.getOrDefault(false, List.of()), files).forEach(LOG::warn);
  }

  /** A line for each file that is not configured: which columns it would give to which analyses. */
  static List<String> whatIsNull(List<AnalysisConfig> analyses, EnrichmentConfig files) {
    Map<String, Set<String>> columns = new TreeMap<>();
    Map<String, Set<String>> names = new TreeMap<>();
    for (AnalysisConfig analysis : analyses) {
      for (EnrichedColumn column : missing(analysis, files)) {
        String key = EnrichmentFiles.key(column.table());
        columns.computeIfAbsent(key, unused -> new TreeSet<>()).add(column.sqlName());
        names.computeIfAbsent(key, unused -> new TreeSet<>()).add(analysis.name());
      }
    }
    return columns.keySet().stream()
        .map(
            key ->
                "the job's configuration has no enrichment."
                    + key
                    + ", so "
                    + String.join(", ", columns.getOrDefault(key, Set.of()))
                    + " are NULL (analyses "
                    + String.join(", ", names.getOrDefault(key, Set.of()))
                    + ")")
        .toList();
  }

  private static Set<EnrichedColumn> missing(AnalysisConfig analysis, EnrichmentConfig files) {
    List<String> queries = new ArrayList<>(List.of(analysis.live().query()));
    if (analysis.history() != null) {
      queries.add(analysis.requiredHistory().query());
    }
    Set<EnrichedColumn> missing = new TreeSet<>();
    for (String query : queries) {
      missing.addAll(EnrichmentFiles.missing(QueryParser.parseQuery(query), files));
    }
    return missing;
  }

  /** The analyses as the control topic has them now (given: the start's), and how to follow it. */
  static AnalysesCoordinator.Settings controlled(JobConfig config, List<AnalysisConfig> analyses) {
    JobConfig.Kafka kafka = config.kafka();
    ControlTopic topic = new ControlTopic(kafka);
    topic.createIfMissing();
    ControlTopic.Contents contents = topic.read();
    AnalysisSet set = new AnalysisSet(analyses, config.merge() != null, config.enrichment());
    Map<AnalysisChange, String> refused = new LinkedHashMap<>();
    for (AnalysisChange change : contents.changes()) {
      Optional<String> error = refusal(change, config);
      try {
        error = error.or(() -> config.job().budget().refusal(set, change));
        if (error.isEmpty() && set.apply(change)) {
          LOG.info(
              "analysis {}: {} by topic {}",
              change.name(),
              change.text() == null ? "removed" : "defined",
              topic.name());
        }
      } catch (ConfigException e) {
        error = Optional.of(e.getMessage());
      }
      error.ifPresent(
          why -> {
            LOG.error("topic {}: a change is refused: {}", topic.name(), why);
            refused.put(change, why);
          });
    }
    return new AnalysesCoordinator.Settings(
        kafka,
        set,
        contents.nextOffset(),
        config.job().budget(),
        change -> refusal(change, config),
        refused);
  }

  /** Creates the topics that the analysis needs. */
  private static Optional<String> refusal(AnalysisChange change, JobConfig config) {
    try {
      AnalysisConfig analysis = change.config();
      if (analysis != null) {
        check(List.of(analysis));
        checkAll(List.of(analysis), config);
        AlertRules.checkSinks(analysis, config);
        KafkaReports.createTopics(config.kafka(), List.of(analysis));
      }
      return Optional.empty();
    } catch (RuntimeException | StackOverflowError e) {
      if (ExceptionUtils.findThrowable(e, RetriableException.class).isPresent()) {
        throw new KafkaException(e.getMessage(), e); // an error of Kafka, not of the analysis
      }
      return Optional.of(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }
}
