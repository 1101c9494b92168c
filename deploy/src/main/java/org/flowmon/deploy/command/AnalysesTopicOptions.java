package org.flowmon.deploy.command;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.JobConfig;
import org.flowmon.jobs.config.StartingOffsets;
import picocli.CommandLine.Option;

/** Which job is meant: by its configuration, or by the Kafka that it reads. */
final class AnalysesTopicOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The job's configuration: Kafka's place and properties, the topic of analyses.")
  private Path config;

  @Option(
      names = {"--kafka", "--bootstrap"},
      paramLabel = "HOST:PORT",
      description = "Kafka's place, in place of --config.")
  private String bootstrap;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "The topic of analyses, with --kafka. Default: ${DEFAULT-VALUE}.",
      defaultValue = JobConfig.Kafka.ANALYSES_TOPIC)
  private String topic;

  /** Whether the analyses of the job's own folder are known, too. */
  boolean knowsFolder() {
    return config != null;
  }

  boolean isGiven() {
    return config != null || bootstrap != null;
  }

  /** Kafka and the topic of analyses. */
  JobConfig.Kafka kafka() {
    ServicesLog.quiet();
    if (config != null && bootstrap != null) {
      throw new UsageException("analyses: --config or --kafka, not both");
    }
    if (!isGiven()) {
      throw new UsageException(
          "analyses: --config FILE (the job's configuration) or --kafka HOST:PORT is missing");
    }
    if (bootstrap != null) {
      return new JobConfig.Kafka(
          bootstrap, "flows", "flowmon", StartingOffsets.EARLIEST, topic, Map.of());
    }
    JobConfig.Kafka kafka = read().kafka();
    if (kafka.analysesTopic() == null) {
      throw new CommandException(
          config + ": kafka.analyses_topic is none: the job takes no changes of analyses");
    }
    return kafka;
  }

  /** The analyses that the job was started with, as far as its configuration is known. */
  List<AnalysisConfig> started() {
    if (config == null) {
      return List.of();
    }
    try {
      return JobAnalyses.of(read());
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }

  private JobConfig read() {
    try {
      return JobConfig.read(config);
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }
}
