package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.deploy.Flowmon;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replays and queries as jobs of a cluster of processes: the rows of one process, whatever dies.
 */
class ReplayClusterIT {
  private static final long HOUR = 3600;

  @TempDir static Path folder;
  private static OneJvm jvm;
  private static FlinkProcesses cluster;
  private static NavigableMap<Long, List<Talker>> live;

  @BeforeAll
  static void archiveADay() throws Exception {
    Path day = ProjectFiles.data().resolve("zeek/rita-missing-host/2024-04-19");
    List<Path> logs;
    try (var files = Files.list(day)) {
      logs = files.filter(file -> file.toString().endsWith(".log.gz")).sorted().toList();
    }
    jvm = OneJvm.start(folder);
    OneJvm.publish(jvm.bootstrap(), "live", logs);
    jvm.run("live", folder.resolve("archive"), 1, OneJvm.elephants("live", "1h", "30m"));
    live = new TreeMap<>(Talker.reported(OneJvm.read(jvm.bootstrap(), "flowmon.reports.live")));
    assertTrue(live.size() > 20, "a day has windows");
    cluster = FlinkProcesses.start(folder.resolve("flink"), 2, 1);
  }

  @AfterAll
  static void stop() throws Exception {
    try (OneJvm ended = jvm;
        FlinkProcesses stopped = cluster) {
      // both are closed if they were started
    }
  }

  @AfterEach
  void cancelJobs() throws Exception {
    cluster.cancelJobs();
  }

  @Test
  void aReplayOnAClusterGivesTheRowsOfTheLiveJob() throws Exception {
    String job = submit(OneJvm.elephantsYaml("live", "1h", "30m"), "live", "replayed-live");
    cluster.await("the replay's end", () -> cluster.jobState(job).equals("FINISHED"));
    assertEquals(live, Talker.reported(OneJvm.read(jvm.bootstrap(), "replayed-live")));
  }

  @Test
  void aTaskManagerKilledDuringAReplayChangesNothing() throws Exception {
    // Many windows, each with a lookup, so that it takes a while.
    String windows =
        OneJvm.elephantsYaml("many", "20s", "30m").replace("  slots:", "  slide: 10s\n  slots:");
    String undisturbed = submit(windows, "many", "replayed-once");
    cluster.await("the replay's end", () -> cluster.jobState(undisturbed).equals("FINISHED"));
    String killed = submit(windows, "many", "replayed-killed");
    cluster.await("a checkpoint", () -> cluster.completedCheckpoints(killed) >= 2);
    cluster.killTaskManager();
    cluster.startTaskManager();
    cluster.await("a restart", () -> cluster.restarts(killed) > 0);
    cluster.await("the replay's end", () -> cluster.jobState(killed).equals("FINISHED"));
    Map<String, String> once = rows("replayed-once");
    assertTrue(once.size() > 1_000, once.size() + " rows");
    assertEquals(once, rows("replayed-killed"));
  }

  @Test
  void aQueryOnAClusterPrintsWhatOneProcessPrints() {
    String sql =
        "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, COUNT(DISTINCT dst_addr) AS d FROM flows"
            + " GROUP BY src_addr HAVING COUNT(*) > 2 ORDER BY n DESC, src_addr LIMIT 50";
    CommandRun here = query(sql);
    assertEquals(0, here.code(), here.err());
    assertTrue(here.out().lines().count() > 10, here.out());
    String flink = "http://127.0.0.1:" + cluster.restPort();
    String jar = ProjectFiles.jobJar().toString();
    CommandRun there = query(sql, "--flink", flink, "--job-jar", jar);
    assertEquals(here.out(), there.out(), there.err());
    assertEquals(0, there.code(), there.err());
    CommandRun rows = query("SELECT uid FROM flows", "--flink", flink, "--job-jar", jar);
    assertEquals(2, rows.code(), rows.err());
    assertTrue(rows.err().contains("a cluster answers queries with groups"), rows.err());
    CommandRun many = query(sql, "--flink", flink, "--job-jar", jar, "--slots", "9");
    assertTrue(many.err().contains("has 2 free slots, and the query takes 9"), many.err());
  }

  @Test
  void aTaskManagerKilledDuringAQueryChangesNothing() throws Exception {
    Path large = folder.resolve("large");
    CommandRun made =
        CommandRun.of(
            Flowmon.commandLine(),
            "generate",
            "office",
            "--rate",
            "5000",
            "--flows",
            "2500000",
            "--for",
            "1h",
            "--to",
            "archive:" + large);
    assertEquals(0, made.code(), made.err());
    String sql =
        "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, COUNT(DISTINCT protocol) AS p,"
            + " AVG(packets) AS a FROM flows WHERE bytes % 7 <> 3 GROUP BY src_addr"
            + " ORDER BY b DESC, src_addr LIMIT 100";
    CommandRun here = query(large, sql);
    assertEquals(100, here.out().lines().skip(1).count(), here.toString());
    String flink = "http://127.0.0.1:" + cluster.restPort();
    FutureTask<CommandRun> there =
        new FutureTask<>(
            () -> query(large, sql, "--flink", flink, "--job-jar", ProjectFiles.jobJar() + ""));
    new Thread(there, "query").start();
    cluster.await("tasks on both TaskManagers", () -> cluster.hasTasks("flowmon query", 2));
    cluster.killTaskManager();
    cluster.startTaskManager();
    CommandRun answer = there.get();
    assertEquals(here.out(), answer.out(), answer.err());
    assertEquals(0, answer.code(), answer.err());
    assertTrue(cluster.hasFailed("flowmon query"), "the query's job felt the loss");
  }

  private static CommandRun query(String sql, String... options) {
    return query(folder.resolve("archive"), sql, options);
  }

  private static CommandRun query(Path archive, String sql, String... options) {
    List<String> words = new ArrayList<>(List.of("query", sql, "--format", "csv"));
    words.addAll(List.of("--archive", archive.toString()));
    words.addAll(List.of(options));
    return CommandRun.of(Flowmon.commandLine(), words.toArray(String[]::new));
  }

  /** Rows by their keys; one that came more than once is the same each time. */
  private static Map<String, String> rows(String topic) {
    Map<String, String> rows = new TreeMap<>();
    for (ConsumerRecord<String, String> record : OneJvm.read(jvm.bootstrap(), topic)) {
      // The confidence has how far history reached by then.
      String row = record.value().replaceAll(",\"confidence\":.*", "");
      String before = rows.put(record.key(), row);
      assertTrue(before == null || before.equals(row), before + " and " + row);
    }
    return rows;
  }

  private static String submit(String yaml, String name, String topic) throws Exception {
    Path analysis = folder.resolve(topic + "-" + name + ".yaml");
    Files.writeString(analysis, yaml);
    Path config = folder.resolve(topic + "-config.yaml");
    Files.writeString(
        config,
        String.join(
            "\n",
            "kafka: {bootstrap: '" + jvm.bootstrap() + "', topic: live}",
            "archive: {directory: '" + folder.resolve("archive") + "'}",
            "job: {checkpoint_interval: 500ms, parallelism: 2}"));
    return cluster.submit(
        ProjectFiles.jobJar(),
        List.of(),
        "--config",
        config.toString(),
        "--replay",
        analysis.toString(),
        "--from",
        Instant.ofEpochSecond(live.firstKey()).toString(),
        "--to",
        Instant.ofEpochSecond(live.lastKey() + HOUR).toString(),
        "--topic",
        topic);
  }
}
