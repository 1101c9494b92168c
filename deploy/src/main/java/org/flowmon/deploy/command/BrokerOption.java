package org.flowmon.deploy.command;

import java.nio.file.Path;
import java.util.HashMap;
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

  /** The properties of Kafka's clients, with the bootstrap servers. */
  Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    if (config == null) {
      properties.put("bootstrap.servers", bootstrap);
      return properties;
    }
    try {
      JobConfig.Kafka kafka = JobConfig.read(config).kafka();
      properties.putAll(kafka.properties());
      properties.put("bootstrap.servers", kafka.bootstrap());
      return properties;
    } catch (ConfigException e) {
      throw new CommandException(e.getMessage());
    }
  }
}
