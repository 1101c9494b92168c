package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import picocli.CommandLine.Option;

/**
 * A Kafka for a command: bootstrap servers or the job's configuration, and properties of Kafka's
 * clients, for example for TLS and SASL. The command line overrides the properties file, which
 * overrides the configuration.
 */
public final class KafkaOptions {
  private static final String BOOTSTRAP = "bootstrap.servers";

  @Option(
      names = {"--bootstrap", "--kafka"},
      paramLabel = "HOST:PORT",
      description = "Kafka's bootstrap servers; in place of --config.")
  private Optional<String> bootstrap = Optional.empty();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The job's configuration, which names Kafka's servers, properties and topics.")
  private Optional<Path> config = Optional.empty();

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description =
          "Properties of Kafka's clients, a line KEY=VALUE each: security.protocol,"
              + " sasl.jaas.config, ssl.truststore.location and so on. The place for passwords, in"
              + " a file that only its user can read.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--kafka-property",
      paramLabel = "KEY=VALUE",
      description =
          "A property of Kafka's clients; may be repeated. Not for passwords, as other users see"
              + " the arguments of a process.")
  private Map<String, String> single = new LinkedHashMap<>();

  private Optional<JobConfig> job = Optional.empty(); // once it was read

  /** Those of {@code --kafka} alone. */
  public static KafkaOptions of(String bootstrap) {
    KafkaOptions options = new KafkaOptions();
    options.bootstrap = Optional.of(bootstrap);
    return options;
  }

  public boolean isGiven() {
    return config.isPresent() || bootstrap.isPresent() || file.isPresent() || !single.isEmpty();
  }

  /**
   * The job's configuration, if given.
   *
   * @throws CommandException if it is wrong, or bootstrap servers are given, too
   */
  public Optional<JobConfig> job() {
    if (config.isPresent() && bootstrap.isPresent()) {
      throw new UsageException("--config or --kafka, not both");
    }
    if (job.isEmpty()) {
      try {
        job = config.map(JobConfig::read);
      } catch (ConfigException e) {
        throw new CommandException(e.getMessage());
      }
    }
    return job;
  }

  public Optional<Path> jobFile() {
    return config;
  }

  /** Throws {@link UsageException} if no Kafka is named. */
  public String bootstrap() {
    String place = all().get(BOOTSTRAP);
    if (place == null) {
      throw new UsageException(
          "--kafka HOST:PORT or --config FILE (the job's configuration) is missing");
    }
    return place;
  }

  /** The properties of Kafka's clients, without the bootstrap servers. */
  public Map<String, String> properties() {
    Map<String, String> properties = all();
    properties.remove(BOOTSTRAP);
    return properties;
  }

  private Map<String, String> all() {
    Map<String, String> all = new HashMap<>();
    job()
        .ifPresent(
            read -> {
              all.putAll(read.kafka().properties());
              all.put(BOOTSTRAP, read.kafka().bootstrap());
            });
    if (file.isPresent()) {
      Properties read = new Properties();
      try (Reader reader = Files.newBufferedReader(file.get(), StandardCharsets.UTF_8)) {
        read.load(reader);
      } catch (NoSuchFileException e) {
        throw new CommandException("--kafka-properties: no such file: " + file.get());
      } catch (IOException | IllegalArgumentException e) {
        throw new CommandException(
            "--kafka-properties " + file.get() + " cannot be read: " + e.getMessage());
      }
      read.stringPropertyNames().forEach(key -> all.put(key, read.getProperty(key).strip()));
    }
    all.putAll(single);
    bootstrap.ifPresent(servers -> all.put(BOOTSTRAP, servers));
    return all;
  }

  /** Includes the bootstrap servers. */
  public Map<String, Object> client() {
    Map<String, Object> client = new HashMap<>(properties());
    client.put(BOOTSTRAP, bootstrap());
    return client;
  }

  /** Throws {@link CommandException} if no broker answers. */
  public Map<String, Object> answering() {
    ServicesLog.quiet();
    Map<String, Object> client = client();
    KafkaBroker.mustAnswer(client, KafkaBroker.PATIENCE);
    return client;
  }
}
