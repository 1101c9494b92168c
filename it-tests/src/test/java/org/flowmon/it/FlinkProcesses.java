package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.cluster.FlinkPrograms;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/**
 * A Flink session cluster as users run it: a JobManager and TaskManagers as processes of their own,
 * with Flink's class path only, so that a job brings everything else in its jar. Jobs are submitted
 * by Flink's own client.
 */
final class FlinkProcesses implements AutoCloseable {
  /** For processes that live for some seconds: the compiler that is done soon. */
  private static final List<String> SHORT_LIFE =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** One for all requests: each new one starts a thread. */
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Path folder;
  private final Path conf;
  private final int restPort;
  private final int slotsOfEach;
  private final FlinkPrograms programs;
  private final Deque<Process> taskManagers = new ArrayDeque<>();
  private Process jobManager;
  private int started;

  private FlinkProcesses(Path folder, int slotsOfEach, int restPort) {
    this.folder = folder;
    this.slotsOfEach = slotsOfEach;
    this.conf = folder.resolve("conf");
    this.restPort = restPort;
    this.programs = FlinkPrograms.ofClassPath(conf, SHORT_LIFE);
  }

  /**
   * Starts a cluster and waits until its slots are there.
   *
   * @param slots of each TaskManager
   */
  static FlinkProcesses start(Path folder, int taskManagerCount, int slots) throws Exception {
    FlinkProcesses cluster = new FlinkProcesses(folder, slots, EmbeddedKafka.freePort());
    cluster.writeConfiguration();
    cluster.jobManager =
        cluster.launch(
            "jobmanager", cluster.programs.jobManager(cluster.folder.resolve("jobmanager.log")));
    for (int i = 0; i < taskManagerCount; i++) {
      cluster.startTaskManager();
    }
    cluster.await("all TaskManagers", () -> cluster.slots() == taskManagerCount * slots);
    return cluster;
  }

  void startTaskManager() throws Exception {
    String id = "tm" + ++started;
    taskManagers.add(launch(id, programs.taskManager(id, folder.resolve(id + ".log"))));
  }

  /** Kills the TaskManager that runs for the longest time, as a crash would: kill -9. */
  void killTaskManager() throws InterruptedException {
    taskManagers.remove().destroyForcibly().waitFor();
  }

  /** Cancels all jobs, and waits until their slots are free and all TaskManagers are there. */
  void cancelJobs() throws Exception {
    Matcher job =
        Pattern.compile(
                "\"id\":\"([0-9a-f]{32})\",\"status\":\"(INITIALIZING|CREATED|RUNNING|FAILING|RESTARTING)\"")
            .matcher(get("/jobs"));
    while (job.find()) {
      send(request("/jobs/" + job.group(1)).method("PATCH", BodyPublishers.noBody()));
    }
    Pattern noneTaken =
        Pattern.compile("\"slots-available\":" + taskManagers.size() * slotsOfEach + "\\b");
    await("free slots", () -> noneTaken.matcher(get("/overview")).find());
  }

  /** Submits the job by {@code flink run -d}; returns its id. */
  String submit(Path jar, List<String> options, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("run", "-d"));
    command.addAll(options);
    command.add(jar.toString());
    command.addAll(List.of(arguments));
    String output = client(command);
    Matcher id = Pattern.compile("JobID ([0-9a-f]{32})").matcher(output);
    if (!id.find()) {
      throw new IllegalStateException("flink run printed no job id:\n" + output);
    }
    return id.group(1);
  }

  /** Stops a job by {@code flink stop}; returns its savepoint. */
  Path stop(String job, Path folder) throws Exception {
    String output = client(List.of("stop", "--savepointPath", folder.toUri().toString(), job));
    Matcher path = Pattern.compile("Savepoint completed. Path: (file:\\S+)").matcher(output);
    if (!path.find()) {
      throw new IllegalStateException("flink stop printed no savepoint:\n" + output);
    }
    return Path.of(URI.create(path.group(1)));
  }

  /** Runs Flink's command line client and returns what it printed. */
  String client(List<String> arguments) throws IOException {
    return programs.client(arguments, folder, "client.log");
  }

  /** The state of a job in Flink's words: RUNNING, FINISHED, RESTARTING … */
  String jobState(String jobId) {
    Matcher state = Pattern.compile("\"state\":\"([A-Z]+)\"").matcher(get("/jobs/" + jobId));
    return state.find() ? state.group(1) : "UNKNOWN";
  }

  /** How often a job was restarted. */
  int restarts(String jobId) {
    Matcher value =
        Pattern.compile("\"value\":\"(\\d+)\"")
            .matcher(get("/jobs/" + jobId + "/metrics?get=numRestarts"));
    return value.find() ? Integer.parseInt(value.group(1)) : 0;
  }

  /** How many checkpoints of a job were completed. */
  int completedCheckpoints(String jobId) {
    Matcher value =
        Pattern.compile("\"completed\":(\\d+)").matcher(get("/jobs/" + jobId + "/checkpoints"));
    return value.find() ? Integer.parseInt(value.group(1)) : 0;
  }

  /** Whether so many tasks of a job of this name run. */
  boolean hasTasks(String job, int tasks) {
    return Pattern.compile(
            "\"name\":\"%s\"[^{]*\"state\":\"RUNNING\"[^{]*\"tasks\":[{][^}]*\"running\":%d\\b"
                .formatted(job, tasks))
        .matcher(get("/jobs/overview"))
        .find();
  }

  /** Whether a task of a job of this name has failed. */
  boolean hasFailed(String job) {
    Matcher id =
        Pattern.compile("\"jid\":\"([0-9a-f]{32})\",\"name\":\"%s\"".formatted(job))
            .matcher(get("/jobs/overview"));
    boolean hasFailed = false;
    while (id.find()) {
      hasFailed |= get("/jobs/" + id.group(1) + "/exceptions").contains("\"exceptionName\":\"");
    }
    return hasFailed;
  }

  /** Makes a savepoint of a job and returns when it is complete. */
  void savepoint(String job) throws Exception {
    Matcher request =
        Pattern.compile("\"request-id\":\"([0-9a-f]{32})\"")
            .matcher(
                send(
                    request("/jobs/" + job + "/savepoints")
                        .POST(BodyPublishers.ofString("{\"cancel-job\": false}"))));
    assertTrue(request.find(), "Flink gives no savepoint");
    String path = "/jobs/" + job + "/savepoints/" + request.group(1);
    await("a savepoint", () -> get(path).contains("COMPLETED"));
  }

  int restPort() {
    return restPort;
  }

  /** Waits for a condition; if it does not come, the error holds the end of every log. */
  void await(String what, BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + Program.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end || !jobManager.isAlive()) {
        throw new AssertionError("waited in vain for " + what + "\n" + logs());
      }
      Thread.sleep(100);
    }
  }

  /** The last lines of every process's log. */
  String logs() throws IOException {
    StringBuilder text = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
        List<String> lines = Files.readAllLines(file);
        text.append("---- ").append(file).append('\n');
        lines
            .subList(Math.max(0, lines.size() - 60), lines.size())
            .forEach(line -> text.append(line).append('\n'));
      }
    }
    return text.toString();
  }

  @Override
  public void close() throws Exception {
    List<Process> all = new ArrayList<>(taskManagers);
    all.add(jobManager);
    all.forEach(Process::destroy);
    for (Process process : all) {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private int slots() {
    Matcher total = Pattern.compile("\"slots-total\":(\\d+)").matcher(get("/overview"));
    return total.find() ? Integer.parseInt(total.group(1)) : 0;
  }

  private String get(String path) {
    return send(request(path));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + path))
        .timeout(Duration.ofSeconds(10));
  }

  private static String send(HttpRequest.Builder request) {
    try {
      return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      return ""; // not there yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void writeConfiguration() throws IOException {
    Files.createDirectories(conf);
    Files.createDirectories(folder.resolve("tmp"));
    List<String> lines =
        List.of(
            "jobmanager.rpc.address: 127.0.0.1",
            "jobmanager.rpc.port: " + EmbeddedKafka.freePort(),
            "jobmanager.bind-host: 127.0.0.1",
            "jobmanager.memory.process.size: 800m",
            "rest.address: 127.0.0.1",
            "rest.bind-address: 127.0.0.1",
            "rest.port: " + restPort,
            "blob.server.port: 0",
            "taskmanager.host: 127.0.0.1",
            "taskmanager.bind-host: 127.0.0.1",
            "taskmanager.numberOfTaskSlots: " + slotsOfEach,
            "taskmanager.memory.process.size: 1100m",
            "taskmanager.memory.managed.size: 16m",
            "taskmanager.memory.network.max: 64m",
            "io.tmp.dirs: " + folder.resolve("tmp"),
            "heartbeat.timeout: 8000",
            "heartbeat.interval: 1000",
            "restart-strategy.type: fixed-delay",
            "restart-strategy.fixed-delay.attempts: 100",
            "restart-strategy.fixed-delay.delay: 200ms",
            "execution.checkpointing.dir: file://" + folder.resolve("checkpoints"),
            "execution.checkpointing.savepoint-dir: file://" + folder.resolve("savepoints"),
            "parallelism.default: 1");
    Files.write(conf.resolve("config.yaml"), lines);
    Files.writeString(
        conf.resolve("log4j2.properties"),
        String.join(
            "\n",
            "rootLogger.level = INFO",
            "rootLogger.appenderRef.console.ref = Console",
            "appender.console.type = Console",
            "appender.console.name = Console",
            "appender.console.layout.type = PatternLayout",
            "appender.console.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1} - %m%n"));
  }

  private Process launch(String name, List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()));
    return builder.start();
  }
}
