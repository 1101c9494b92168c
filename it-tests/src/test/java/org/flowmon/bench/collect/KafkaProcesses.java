package org.flowmon.bench.collect;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/**
 * Kafka brokers as child processes, a single one or a cluster. Each may be killed and restarted
 * with its data and address. Topics have a copy on every broker.
 */
public final class KafkaProcesses implements AutoCloseable {
  private final Path directory;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  private KafkaProcesses(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts brokers and returns when all take requests.
   *
   * @param directory their data
   * @param brokers how many
   * @param more further settings, the same for all ({@link EmbeddedKafka#start(Path, int, Map)})
   * @throws IOException if one does not start
   */
  public static KafkaProcesses start(Path directory, int brokers, Map<String, String> more)
      throws IOException {
    KafkaProcesses cluster = new KafkaProcesses(directory);
    List<Integer> controllers = new ArrayList<>();
    for (int i = 0; i < brokers; i++) {
      cluster.ports.add(EmbeddedKafka.freePort());
      controllers.add(EmbeddedKafka.freePort());
    }
    String voters =
        IntStream.range(0, brokers)
            .mapToObj(i -> (i + 1) + "@127.0.0.1:" + controllers.get(i))
            .collect(Collectors.joining(","));
    Map<String, String> settings = new HashMap<>();
    settings.put("controller.quorum.voters", voters);
    settings.put(EmbeddedKafka.CLUSTER_ID, Uuid.randomUuid().toString());
    settings.put("default.replication.factor", Integer.toString(brokers));
    settings.put("min.insync.replicas", Integer.toString(brokers / 2 + 1));
    settings.putAll(more);
    try {
      for (int i = 0; i < brokers; i++) {
        settings.put("node.id", Integer.toString(i + 1));
        cluster.write(i, settings);
        cluster.processes.add(cluster.begin(i));
      }
      for (int i = 0; i < brokers; i++) {
        cluster.awaitReady(i);
      }
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void write(int broker, Map<String, String> settings) throws IOException {
    Files.createDirectories(directory);
    Properties properties = new Properties();
    settings.forEach(properties::setProperty);
    try (Writer out = Files.newBufferedWriter(settingsOf(broker), StandardCharsets.UTF_8)) {
      properties.store(out, null);
    }
  }

  private Path settingsOf(int broker) {
    return directory.resolve("broker-" + broker + ".properties");
  }

  private Process begin(int broker) throws IOException {
    List<String> command = ChildJvm.java();
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedKafka.class.getName(),
            directory.resolve("broker-" + broker).toString(),
            ports.get(broker).toString(),
            settingsOf(broker).toString()));
    return new ProcessBuilder(command)
        .redirectError(directory.resolve("broker-" + broker + ".log").toFile())
        .start();
  }

  private void awaitReady(int broker) throws IOException {
    BufferedReader out =
        new BufferedReader(
            new InputStreamReader(processes.get(broker).getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("READY ")) {
        return;
      }
    }
    throw new IOException(
        "broker "
            + broker
            + " of "
            + directory
            + " did not start: "
            + Files.readString(directory.resolve("broker-" + broker + ".log")));
  }

  /** {@code host:port} of all brokers, for clients. */
  public String bootstrap() {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  /** Kills a broker like a crash, and returns when it is gone. */
  public void kill(int broker) throws InterruptedException {
    processes.get(broker).destroyForcibly().waitFor();
  }

  /** Restarts a killed broker, and returns when it takes requests. */
  public void restart(int broker) throws IOException {
    processes.set(broker, begin(broker));
    awaitReady(broker);
  }

  /** CPU time of the running brokers. */
  public Duration cpu() {
    return processes.stream()
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  @Override
  public void close() throws IOException {
    for (Process process : processes) {
      process.getOutputStream().close(); // a broker ends with its standard input
    }
    for (Process process : processes) {
      try {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
