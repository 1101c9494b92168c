package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.LogFile;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/** Starts and stops the services of a cluster; one that runs already is left as it is. */
final class ClusterServices {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int CONNECT_MILLIS = 1000;

  /** Unlike the demo's, this database is to outlive a failure of power. */
  private static final Map<String, String> DURABLE = Map.of("fsync", "on");

  private final ClusterFolder folder;
  private final FlinkCluster flink;

  ClusterServices(ClusterFolder folder) {
    this.folder = folder;
    this.flink = new FlinkCluster(folder);
  }

  /**
   * Starts what does not run, all at once, and waits for each in its order.
   *
   * @param told is called with each name, and whether it was started
   */
  void start(List<String> names, BiConsumer<String, Boolean> told) throws IOException {
    List<String> absent = new ArrayList<>();
    for (String name : names) {
      if (folder.process(name).find().isEmpty()) {
        absent.add(name);
        begin(name);
      }
    }
    for (String name : names) {
      if (absent.contains(name)) {
        complete(name);
      }
      told.accept(name, absent.contains(name));
    }
  }

  private void begin(String name) throws IOException {
    switch (name) {
      case "postgres" -> {} // its own program starts it, and waits
      case "broker" -> launch(name, broker());
      case "zookeeper" -> launch(name, flink.programs().zooKeeper(folder.log(name)));
      case "jobmanager" -> launch(name, flink.programs().jobManager(folder.log(name)));
      case "collector" -> launch(name, collector());
      case "server" -> launch(name, server());
      default -> launch(name, flink.programs().taskManager(name, folder.log(name)));
    }
  }

  private void complete(String name) throws IOException {
    switch (name) {
      case "postgres" -> startPostgres();
      case "broker" -> await(name, () -> connects("kafka"));
      case "zookeeper" -> await(name, () -> connects("zookeeper"));
      case "jobmanager" -> await(name, flink::answers);
      case "collector" -> await(name, () -> connects("collector-http"));
      case "server" -> await(name, () -> connects("console"));
      default -> {} // awaitTaskManagers waits for all
    }
  }

  /** Waits until all TaskManagers have registered. */
  void awaitTaskManagers() throws IOException {
    int slots = folder.number("taskmanagers") * folder.number("slots");
    await("jobmanager", () -> flink.slots() >= slots);
  }

  private void startPostgres() throws IOException {
    Map<String, String> settings = new java.util.HashMap<>(DURABLE);
    settings.put("port", folder.setting("port.postgres"));
    EmbeddedPostgres server = EmbeddedPostgres.start(folder.path("postgres"), settings);
    server.leaveRunning();
    folder
        .process("postgres")
        .remember(
            ProcessHandle.of(server.pid())
                .orElseThrow(() -> new IOException("PostgreSQL has ended; see postgres.log")));
  }

  private List<String> broker() {
    List<String> command = java("broker", "-Xmx512m", "-XX:+UseSerialGC");
    command.addAll(List.of(EmbeddedKafka.class.getName(), "--detached"));
    command.addAll(List.of(folder.path("kafka").toString(), folder.setting("port.kafka")));
    return command;
  }

  private List<String> collector() {
    List<String> command = flowmon("collector", "-Xmx512m");
    command.addAll(List.of("collect", "--listen", folder.address("collector")));
    command.addAll(List.of("--kafka", folder.address("kafka")));
    command.addAll(List.of("--http", folder.address("collector-http")));
    command.addAll(List.of("--spool", folder.path("spool").toString()));
    command.addAll(List.of("--state", folder.path("templates").toString()));
    return command;
  }

  private List<String> server() {
    String archive = folder.path("archive").toString();
    List<String> command = flowmon("server", "-Xmx1g");
    command.addAll(List.of("serve", "--archive", archive));
    command.addAll(List.of("--config", folder.config().toString()));
    command.addAll(List.of("--collector", folder.url("collector-http")));
    command.addAll(List.of("--views", folder.path("views").toString()));
    command.addAll(List.of("--audit", folder.path("logs/audit.log").toString()));
    command.addAll(List.of("--listen", folder.address("console")));
    return command;
  }

  /** Makes the topic of flows, which the job looks up when it starts. */
  void makeTopic() throws IOException {
    FlowTopics.ensure(
        folder.address("kafka"), "flows", folder.number("taskmanagers") * folder.number("slots"));
  }

  /** Makes the archive, so that it can be asked before the job has committed. */
  void makeArchive() throws IOException {
    Path place = folder.path("archive");
    if (!Files.exists(place)) {
      Archive.create(place, ArchiveOptions.DEFAULTS).close();
    }
  }

  /** A JVM with this one's class path and its options that open packages of the JDK. */
  private List<String> java(String name, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    command.addAll(List.of(options));
    String log = folder.log(name).toString();
    command.addAll(LogFile.options(Path.of(log.substring(0, log.length() - ".log".length()))));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return command;
  }

  private List<String> flowmon(String name, String... options) {
    List<String> command = java(name, options);
    command.add("org.flowmon.deploy.Start");
    return command;
  }

  private void launch(String name, List<String> command) throws IOException {
    ProcessBuilder builder = OwnProcess.detached(command, folder.printed(name));
    flink.programs().environment(builder, folder.path("logs"));
    builder.environment().remove(LogFile.FOLDER);
    folder.process(name).remember(builder.start().toHandle());
  }

  private void await(String name, BooleanSupplier isReady) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!isReady.getAsBoolean()) {
      boolean isAlive = folder.process(name).find().isPresent();
      if (!isAlive || System.nanoTime() > end) {
        throw new CommandException(
            name
                + (isAlive ? " is not ready after " + PATIENCE.toMinutes() + " minutes" : " ended")
                + "; see "
                + folder.printed(name)
                + " and "
                + folder.log(name));
      }
      OwnProcess.pause();
    }
  }

  private boolean connects(String service) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), folder.number("port." + service)),
          CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** How a process is asked to end: a signal, but PostgreSQL by its own program. */
  OwnProcess.ProcessEnd end(String name) {
    return name.equals("postgres")
        ? process -> EmbeddedPostgres.stop(folder.path("postgres"))
        : process -> {
          var unused = process.destroy();
        };
  }

  FlinkCluster flink() {
    return flink;
  }
}
