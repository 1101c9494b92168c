package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.Flowmon;
import org.flowmon.flow.FlowBatchHeader;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job's jar on a cluster of processes, submitted by Flink's own client: it gives what a run in
 * one JVM gives, whatever dies on the way.
 */
class ClusterIT {
  private static final String EVERYTHING =
      "SELECT uid, src_addr, dst_addr, src_port, dst_port, start_time, end_time, arrival, bytes,"
          + " reverse_bytes, COUNT(*) AS n FROM flows GROUP BY uid, src_addr, dst_addr, src_port,"
          + " dst_port, start_time, end_time, arrival, bytes, reverse_bytes ORDER BY uid,"
          + " start_time, end_time";
  private static final String WINDOW = "1h";
  // Connections of days are late, in every run the same.
  private static final String LATENESS = "30m";

  private static final long HOSTILE_SEED = 20261124;

  @TempDir static Path folder;
  private static OneJvm jvm;
  private static FutureTask<FlinkProcesses> started;
  private static FlinkProcesses cluster;
  private static List<Path> logs;
  private static ResultTable flows;
  private static SortedMap<Long, List<Talker>> talkers;

  @BeforeAll
  static void runInOneJvm() throws Exception {
    Path day = ProjectFiles.data().resolve("zeek/rita-missing-host/2024-04-19");
    try (var files = Files.list(day)) {
      logs = files.filter(file -> file.toString().endsWith(".log.gz")).sorted().toList();
    }
    // A slot in each, so that both work, and a loss is felt. Those killed are started anew.
    started = new FutureTask<>(() -> FlinkProcesses.start(folder.resolve("processes"), 2, 1));
    new Thread(started, "start-flink").start();
    jvm = OneJvm.start(folder);
    OneJvm.publish(jvm.bootstrap(), "one", logs);
    Path archive = folder.resolve("one");
    jvm.run("one", archive, 1, CarriedAnalyses.parsed("one", WINDOW, LATENESS));
    flows = OneJvm.query(archive, EVERYTHING);
    talkers = reported("one");
    assertTrue(flows.rowCount() > 30_000 && talkers.size() > 20, "a day has flows and windows");
    cluster = started.get();
  }

  @AfterEach
  void cancelJobs() throws Exception {
    cluster.cancelJobs();
  }

  @AfterAll
  static void stop() throws Exception {
    try (OneJvm ended = jvm;
        FlinkProcesses stopped = started.get()) {
      // both are closed if they were started
    }
  }

  @Test
  void theJobOnAClusterGivesTheResultsOfOneJvm() throws Exception {
    OneJvm.publish(jvm.bootstrap(), "cluster", logs);
    String job = submit("cluster", true, 2, List.of());
    cluster.await("the job's end", () -> cluster.jobState(job).equals("FINISHED"));
    assertSame("cluster");
  }

  @Test
  void taskManagersKilledWhileFlowsAndHostileMessagesArriveChangeNothing() throws Exception {
    FlowTopics.ensure(jvm.bootstrap(), "killed", OneJvm.PARTITIONS);
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<List<byte[]>> hostile = new FutureTask<>(() -> hostileAmong("killed", stop));
    try (FlowPublisher publisher = publisher("killed")) {
      new Thread(hostile, "hostile").start();
      String job = submit("killed", false, 2, List.of());
      FileReadOptions options = FileReadOptions.defaults();
      publish(publisher, options, logs.subList(0, 8));
      awaitCheckpoint(job);
      publish(publisher, options, logs.subList(8, 12));
      cluster.killTaskManager();
      publish(publisher, options, logs.subList(12, 16));
      cluster.startTaskManager();
      cluster.await("a restart", () -> cluster.restarts(job) > 0);
      awaitRunning(job);
      awaitCheckpoint(job);
      cluster.startTaskManager();
      cluster.killTaskManager();
      long last = publish(publisher, options, logs.subList(16, logs.size()));
      stop.set(true);
      List<byte[]> sent = hostile.get(1, TimeUnit.MINUTES);
      end(publisher, last);
      awaitAll("killed");
      awaitQuarantined(sent);
    } finally {
      stop.set(true);
    }
    assertSame("killed");
  }

  /** One behind every ten messages: copies as they are, and whatever the job leaves out. */
  private static List<byte[]> hostileAmong(String topic, AtomicBoolean stop) throws Exception {
    return HostileSenders.amongMessages(
        jvm.bootstrap(),
        topic,
        10,
        new HostileInput(HOSTILE_SEED),
        (good, message) -> Arrays.equals(good, message) || HostileSenders.isRefused(message),
        stop);
  }

  /** Until the quarantine has each message that the job left out, with its flows. */
  private static void awaitQuarantined(List<byte[]> sent) throws Exception {
    String seed = sent.size() + " hostile messages, seed " + HOSTILE_SEED;
    assertTrue(sent.size() >= 10, seed);
    List<byte[]> refused = sent.stream().filter(HostileSenders::isRefused).toList();
    long flows =
        refused.stream()
            .mapToLong(value -> FlowBatchHeader.read(value).map(FlowBatchHeader::rows).orElse(0))
            .sum();
    cluster.await("the quarantine of " + seed, () -> quarantined().size() >= refused.size());
    Map<String, Long> found = quarantined();
    assertEquals(refused.size(), found.size(), seed);
    assertEquals(flows, found.values().stream().mapToLong(n -> n).sum(), seed);
  }

  /** Flows by position of the message. */
  private static Map<String, Long> quarantined() {
    Map<String, Long> flows = new TreeMap<>();
    for (var message : OneJvm.read(jvm.bootstrap(), QuarantineMessage.TOPIC)) {
      String count =
          new String(message.headers().lastHeader("flows").value(), StandardCharsets.UTF_8);
      flows.put(message.key(), Long.parseLong(count));
    }
    return flows;
  }

  @Test
  void aJobStartedAgainFromAnOldSavepointArchivesNothingTwice() throws Exception {
    FlowTopics.ensure(jvm.bootstrap(), "again", OneJvm.PARTITIONS);
    try (FlowPublisher publisher = publisher("again")) {
      FileReadOptions options = FileReadOptions.defaults();
      String first = submit("again", false, 2, List.of());
      publish(publisher, options, logs.subList(0, 6));
      awaitCheckpoint(first);
      cluster.savepoint(first);
      Path savepoint = onlyFolder(folder.resolve("processes/savepoints"));
      publish(publisher, options, logs.subList(6, 14));
      awaitCheckpoint(first);
      cluster.cancelJobs();
      // What came after the savepoint is in the archive, and comes again.
      submit("again", false, 1, List.of("-s", savepoint.toString()));
      end(publisher, publish(publisher, options, logs.subList(14, logs.size())));
      awaitAll("again");
    }
    assertSame("again");
  }

  /**
   * The first job is of the jar that {@code FLOWMON_JOB_BEFORE} names, by default of this build's.
   */
  @Test
  void aJobStoppedWithASavepointGoesOnInThisBuild() throws Exception {
    String before = System.getenv("FLOWMON_JOB_BEFORE");
    Path jar = before == null ? ProjectFiles.jobJar() : Path.of(before).toAbsolutePath();
    FlowTopics.ensure(jvm.bootstrap(), "carried", OneJvm.PARTITIONS);
    Map<String, String> analyses = CarriedAnalyses.of("carried", WINDOW, LATENESS);
    try (FlowPublisher publisher = publisher("carried")) {
      FileReadOptions options = FileReadOptions.defaults();
      String first = submit(jar, "carried", analyses, false, 2, List.of());
      publish(publisher, options, logs.subList(0, 10));
      cluster.await("reports before the savepoint", () -> windows("carried") >= 6);
      awaitCheckpoint(first);
      Path savepoint = cluster.stop(first, folder.resolve("stopped"));
      assertTrue(windows("carried") < talkers.size() / 2, "windows are open");
      publish(publisher, options, logs.subList(10, 14));
      submit(
          ProjectFiles.jobJar(),
          "carried",
          analyses,
          false,
          1,
          List.of("-s", savepoint.toString()));
      end(publisher, publish(publisher, options, logs.subList(14, logs.size())));
      awaitAll("carried");
      long last = CarriedAnalyses.reported(jvm.bootstrap(), "one_functions").lastKey();
      cluster.await("the last window", () -> isReported("carried_functions", last));
    }
    assertSame("carried");
    assertEquals(bruteForce(), reported("carried"), "brute force");
    for (String kind : List.of("_functions", "_nested")) {
      assertEquals(
          CarriedAnalyses.reported(jvm.bootstrap(), "one" + kind),
          CarriedAnalyses.reported(jvm.bootstrap(), "carried" + kind),
          kind);
    }
    SortedMap<String, List<String>> alerts = CarriedAnalyses.alerts(jvm.bootstrap(), "one");
    assertTrue(alerts.size() > 3, "alerts of " + alerts);
    assertEquals(alerts, CarriedAnalyses.alerts(jvm.bootstrap(), "carried"));
  }

  private static boolean isReported(String analysis, long windowEnd) {
    try {
      return CarriedAnalyses.reported(jvm.bootstrap(), analysis).containsKey(windowEnd);
    } catch (IOException e) {
      return false;
    }
  }

  /** The largest talkers of each window, counted from the rows of the archive. */
  private static SortedMap<Long, List<Talker>> bruteForce() throws IOException {
    ResultTable rows =
        OneJvm.query(
            folder.resolve("one"),
            "SELECT src_addr, end_time, arrival, bytes, uid, COUNT(*) AS n FROM flows"
                + " WHERE outgoing IS NOT TRUE"
                + " GROUP BY src_addr, end_time, arrival, bytes, uid");
    long width = 3_600_000_000L;
    long lateness = width / 2;
    Map<Long, Map<String, Long>> windows = new TreeMap<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      long end = (Math.floorDiv(rows.longValue(row, 1), width) + 1) * width;
      if (rows.longValue(row, 2) <= end + lateness && !rows.isNull(row, 3)) {
        windows
            .computeIfAbsent((end - width) / 1_000_000, key -> new TreeMap<>())
            .merge(
                rows.formatted(row, 0), rows.longValue(row, 3) * rows.longValue(row, 5), Long::sum);
      }
    }
    return Talker.top(windows, 20);
  }

  @Test
  void anAnalysisIsAddedAndRemovedByOneCommandWhileTheJobRuns() throws Exception {
    FlowTopics.ensure(jvm.bootstrap(), "taking", OneJvm.PARTITIONS);
    Path added = folder.resolve("added.yaml");
    Files.writeString(added, OneJvm.elephantsYaml("added", WINDOW, LATENESS));
    Path going = folder.resolve("going.yaml");
    Files.writeString(going, OneJvm.elephantsYaml("going", WINDOW, LATENESS));
    String config = folder.resolve("taking.yaml").toString();
    try (FlowPublisher publisher = publisher("taking")) {
      String job = submit("taking", false, 2, List.of());
      FileReadOptions options = FileReadOptions.defaults();
      publish(publisher, options, logs.subList(0, 6));
      awaitCheckpoint(job);
      assertEquals(
          0,
          Flowmon.commandLine()
              .execute("analyses", "add", "--config", config, added.toString(), going.toString()));
      publish(publisher, options, logs.subList(6, 12));
      awaitCheckpoint(job);
      cluster.killTaskManager();
      cluster.startTaskManager();
      cluster.await("a restart", () -> cluster.restarts(job) > 0);
      awaitRunning(job);
      assertEquals(
          0, Flowmon.commandLine().execute("analyses", "remove", "--config", config, "going"));
      long last = publish(publisher, options, logs.subList(12, logs.size()));
      end(publisher, last);
      awaitAll("taking");
      cluster.await(
          "the last window of what was added", () -> lastWindow("added") == talkers.lastKey());
    }
    assertSame("taking");
    SortedMap<Long, List<Talker>> of = reported("added");
    assertTrue(of.size() < talkers.size(), "it came when flows had been taken");
    assertEquals(talkers.tailMap(of.firstKey()), of);
    SortedMap<Long, List<Talker>> until = reported("going");
    assertTrue(
        until.isEmpty() || until.lastKey() < talkers.lastKey(), "it went before the last flows");
    until.forEach((end, rows) -> assertEquals(talkers.get(end), rows));
  }

  private static FlowPublisher publisher(String topic) throws IOException {
    return FlowPublisher.open(
        PublisherOptions.of(jvm.bootstrap()).withTopic(topic).withBatchRows(200));
  }

  private static long publish(FlowPublisher publisher, FileReadOptions options, List<Path> files)
      throws IOException {
    long last = Long.MIN_VALUE;
    for (Path file : files) {
      last = Math.max(last, FlowFiles.open(file, options).read(publisher).lastArrival());
    }
    publisher.flush();
    return last;
  }

  /** Closes every window of the day: the heartbeats are hours after its last flow. */
  private static void end(FlowPublisher publisher, long last) {
    publisher.endOfFile(last + 3 * 3_600_000_000L);
  }

  private static void awaitCheckpoint(String job) throws Exception {
    int before = cluster.completedCheckpoints(job);
    cluster.await("two more checkpoints", () -> cluster.completedCheckpoints(job) >= before + 2);
  }

  private static void awaitRunning(String job) throws Exception {
    cluster.await("the job to run", () -> cluster.jobState(job).equals("RUNNING"));
  }

  /** Until archive and reports are complete; whether they are right is asserted afterwards. */
  private static void awaitAll(String name) throws Exception {
    cluster.await(
        "all flows in the archive and all windows reported",
        () -> rows(folder.resolve(name)) >= 31_367 && windows(name) >= talkers.size());
  }

  private static long rows(Path directory) {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    } catch (IOException e) {
      return 0;
    }
  }

  private static int windows(String name) {
    try {
      return reported(name).size();
    } catch (IOException e) {
      return 0;
    }
  }

  /** The start of the last window that was reported, 0 without one. */
  private static long lastWindow(String name) {
    try {
      SortedMap<Long, List<Talker>> windows = reported(name);
      return windows.isEmpty() ? 0 : windows.lastKey();
    } catch (IOException e) {
      return 0;
    }
  }

  private static String submit(String name, boolean bounded, int parallelism, List<String> options)
      throws Exception {
    return submit(
        ProjectFiles.jobJar(),
        name,
        Map.of(name, OneJvm.elephantsYaml(name, WINDOW, LATENESS)),
        bounded,
        parallelism,
        options);
  }

  private static String submit(
      Path jar,
      String name,
      Map<String, String> texts,
      boolean bounded,
      int parallelism,
      List<String> options)
      throws Exception {
    Path analyses = Files.createDirectories(folder.resolve("analyses-" + name));
    for (Map.Entry<String, String> text : texts.entrySet()) {
      Files.writeString(analyses.resolve(text.getKey() + ".yaml"), text.getValue());
    }
    Path config = folder.resolve(name + ".yaml");
    Files.writeString(
        config,
        String.join(
            "\n",
            "kafka: {bootstrap: '"
                + jvm.bootstrap()
                + "', topic: "
                + name
                + ", analyses_topic: analyses-of-"
                + name
                + "}",
            "archive: {directory: '" + folder.resolve(name) + "'}",
            "analyses: '" + analyses + "'",
            "job: {checkpoint_interval: 500ms, bounded: "
                + bounded
                + ", parallelism: "
                + parallelism
                + "}"));
    return cluster.submit(jar, options, "--config", config.toString());
  }

  private static Path onlyFolder(Path parent) throws IOException {
    try (var files = Files.list(parent)) {
      List<Path> all = files.toList();
      assertEquals(1, all.size(), "savepoints in " + parent);
      return all.get(0);
    }
  }

  private static SortedMap<Long, List<Talker>> reported(String name) throws IOException {
    return Talker.reported(OneJvm.read(jvm.bootstrap(), "flowmon.reports." + name));
  }

  private static void assertSame(String name) throws IOException {
    ResultTable found = OneJvm.query(folder.resolve(name), EVERYTHING);
    assertEquals(flows.rowCount(), found.rowCount(), "different flows in the archive");
    assertTrue(flows.equals(found), "the archive's flows differ");
    assertEquals(talkers, reported(name));
  }
}
