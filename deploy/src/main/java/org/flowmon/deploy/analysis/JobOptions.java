package org.flowmon.deploy.analysis;

import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that choose a job by its configuration or by its Kafka. */
public final class JobOptions {
  @Mixin private KafkaOptions kafka;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "The topic of analyses, with --kafka. Default: ${DEFAULT-VALUE}.",
      defaultValue = JobConfig.Kafka.ANALYSES_TOPIC)
  private String topic;

  boolean knowsFolder() {
    return kafka.jobFile().isPresent();
  }

  boolean isGiven() {
    return kafka.isGiven();
  }

  JobConfig.Kafka kafka() {
    return kafka(kafka, topic);
  }

  /**
   * The Kafka of a job and its topic of analyses.
   *
   * @param topic of analyses, if no configuration names it
   * @throws CommandException if the job takes no changes of analyses
   */
  public static JobConfig.Kafka kafka(KafkaOptions kafka, String topic) {
    ServicesLog.quiet();
    String bootstrap = kafka.bootstrap();
    Optional<JobConfig.Kafka> ofJob = kafka.job().map(JobConfig::kafka);
    if (ofJob.isPresent() && ofJob.get().analysesTopic() == null) {
      throw new CommandException(
          kafka.jobFile().get()
              + ": kafka.analyses_topic is none: the job takes no changes of analyses");
    }
    return new JobConfig.Kafka(
        bootstrap,
        ofJob.map(JobConfig.Kafka::topic).orElse("flows"),
        ofJob.map(JobConfig.Kafka::group).orElse("flowmon"),
        ofJob.map(JobConfig.Kafka::startingOffsets).orElse(StartingOffsets.EARLIEST),
        ofJob.map(JobConfig.Kafka::analysesTopic).orElse(topic),
        kafka.properties());
  }

  /** The files that its queries join, if its configuration is known. */
  EnrichmentConfig enrichment() {
    return kafka.job().map(JobConfig::enrichment).orElse(EnrichmentConfig.NONE);
  }

  /** The analyses that the job was started with, if its configuration is known. */
  List<AnalysisConfig> started() {
    return started(kafka);
  }

  /** The analyses that a job was started with, if its configuration is known. */
  public static List<AnalysisConfig> started(KafkaOptions kafka) {
    Optional<JobConfig> job = kafka.job();
    if (job.isEmpty()) {
      return List.of();
    }
    try {
      return JobAnalyses.of(job.get());
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }
}
