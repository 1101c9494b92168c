package org.flowmon.deploy.command;

import java.nio.file.Path;
import java.util.Map;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.JobConfig;
import picocli.CommandLine.Option;

/** Where Kafka is: one of the two. */
final class BrokerOption {
  @Option(
      names = {"--bootstrap", "--kafka"},
      paramLabel = "HOST:PORT",
      description = "Kafka's bootstrap servers.")
  private String bootstrap;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The job's configuration, which names Kafka's servers and properties.")
  private Path config;

  /**
   * The properties of Kafka's clients, with the bootstrap servers, where a broker answers.
   *
   * @throws CommandException where none does
   */
  Map<String, Object> properties() {
    ServicesLog.quiet();
    Map<String, Object> properties = given();
    KafkaBroker.mustAnswer(properties, KafkaBroker.PATIENCE);
    return properties;
  }

  private Map<String, Object> given() {
    if (config == null) {
      return Map.of("bootstrap.servers", bootstrap);
    }
    try {
      return JobConfig.read(config).kafka().clientProperties();
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }
}
