package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays as jobs of a cluster of processes: the rows of the live job, whatever dies. */
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
