package org.flowmon.deploy.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a real job on a real broker: alive, killed, and without its cluster. */
class StatusCommandTest {
  private static final int FLOWS = 300;

  @TempDir Path folder;

  private Path config(EmbeddedKafka kafka) throws Exception {
    return Files.writeString(
        folder.resolve("flowmon.yaml"),
        """
        kafka: {bootstrap: '%s', topic: flows}
        archive: {directory: '%s'}
        job: {role: all, checkpoint_interval: 1s, parallelism: 1}
        """
            .formatted(kafka.bootstrapServers(), folder.resolve("archive")));
  }

  private static AnalysisConfig talkers() {
    return AnalysisConfig.parse(
        "talkers.yaml",
        """
        name: talkers
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
          window: 10s
        report: {logic: live}
        sinks: [kafka]
        """);
  }

  private void publish(EmbeddedKafka kafka) throws Exception {
    StringBuilder csv = new StringBuilder("end_time,arrival,src_addr,dst_addr,bytes\n");
    Instant begin = Instant.now().minusSeconds(FLOWS);
    for (int i = 0; i < FLOWS; i++) {
      Instant time = begin.plusSeconds(i);
      csv.append("%s,%s,10.0.0.%d,192.0.2.1,%d\n".formatted(time, time, i % 9, i));
    }
    Path flows = Files.writeString(folder.resolve("flows.csv"), csv);
    CommandRun run = CommandRun.of("publish", flows, "--bootstrap", kafka.bootstrapServers());
    assertEquals(0, run.code(), run.err());
  }

  private static CommandRun status(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("status"));
    all.addAll(List.of(arguments));
    return CommandRun.of(all.toArray());
  }

  private static JsonNode json(int code, Object... arguments) throws Exception {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    CommandRun run = status(all.toArray());
    assertEquals(code, run.code(), run.toString());
    return new ObjectMapper().readTree(run.out());
  }

  /** Until the job has read and reported all. Flink's metrics are up to ten seconds old. */
  private static CommandRun settled(Object... arguments) throws Exception {
    CommandRun run = status(arguments);
    for (int i = 0; i < 100; i++) {
      if (run.code() == 0
          && run.out().contains("the job has read all")
          && run.out().contains("talkers")
          && run.out().contains("quarantined")) {
        break;
      }
      Thread.sleep(1000);
      run = status(arguments);
    }
    assertEquals(0, run.code(), run.toString());
    return run;
  }

  @Test
  void aJobIsAliveThenNotSinceItsEndAndWithoutItsClusterNobodyCanTell() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      Path config = config(kafka);
      publish(kafka);
      try (KafkaProducer<String, String> junk =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", kafka.bootstrapServers()),
              new StringSerializer(),
              new StringSerializer())) {
        junk.send(new ProducerRecord<>("flows", "no batch")).get();
      }
      URI rest;
      EmbeddedFlink flink = EmbeddedFlink.start(folder.resolve("flink"), 1);
      try (flink) {
        rest = flink.restAddress();
        Object[] arguments = {"--config", config, "--flink", rest};
        CommandRun none = status(arguments);
        assertEquals(1, none.code(), none.toString());
        assertTrue(none.out().contains("not alive: Flink has no job"), none.out());
        JobID job = submit(flink, config);
        CommandRun alive = settled(arguments);
        assertScreen(alive.out());
        assertAlive(json(0, arguments));
        JsonNode slow = json(1, "--config", config, "--flink", rest, "--max-lag", "1ms");
        assertEquals("wrong", slow.path("job").path("state").asText());
        assertEquals("degraded", slow.path("status").asText(), "it is alive");
        flink.cancel(job);
        flink.awaitEnd(job, Duration.ofSeconds(60));
        Instant ended = Instant.now();
        CommandRun dead = status(arguments);
        assertEquals(1, dead.code(), dead.toString());
        assertTrue(dead.out().contains("job        wrong    not alive since "), dead.out());
        assertTrue(dead.out().contains(": CANCELED"), dead.out());
        JsonNode facts = json(1, arguments);
        assertEquals("not_alive", facts.path("status").asText());
        Duration off =
            Duration.between(Instant.parse(facts.path("job").path("ended").asText()), ended).abs();
        assertTrue(off.toSeconds() < 60, off::toString);
      }
      CommandRun unknown = status("--config", config, "--flink", rest);
      assertEquals(3, unknown.code(), unknown.toString());
      assertTrue(unknown.out().contains("cannot tell: Flink does not answer"), unknown.out());
      assertTrue(unknown.out().replaceAll("\\s+", " ").contains("its last report was written"));
    }
  }

  private static JobID submit(EmbeddedFlink flink, Path config) {
    JobConfig read = JobConfig.read(config);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    List<AnalysisConfig> analyses = new ArrayList<>(List.of(talkers()));
    // Their windows never close; together their metrics have more letters than Flink takes in a
    // URL.
    for (int i = 10; i < 34; i++) {
      analyses.add(
          AnalysisConfig.parse(
              "long.yaml",
              """
              name: %s_%d
              live: {query: SELECT SUM(bytes) AS bytes FROM flows, window: 36500d}
              report: {logic: live}
              sinks: [kafka]
              """
                  .formatted("a".repeat(45), i)));
    }
    FlowmonJob.build(environment, read, analyses);
    return flink.submit(environment, "flowmon all");
  }

  private static void assertScreen(String screen) {
    assertTrue(screen.lines().allMatch(line -> line.length() <= 80), screen);
    assertTrue(screen.lines().count() <= 24, screen);
    assertTrue(screen.startsWith("job        ok       alive, running since "), screen);
    assertTrue(screen.contains("\ncollector  absent   --collector URL"), screen);
    assertTrue(screen.contains("\nkafka      ok       flows, "), screen);
    assertTrue(screen.contains("\narchive    ok       " + FLOWS + " flows in "), screen);
    assertTrue(screen.contains("\nreports    ok       talkers "), screen);
    assertTrue(screen.contains("\nlost                by the job: quarantined 1\n"), screen);
  }

  private static void assertAlive(JsonNode facts) {
    assertEquals("ok", facts.path("status").asText());
    assertEquals("RUNNING", facts.path("job").path("flink_state").asText());
    assertEquals(0, facts.path("job").path("restarts").asInt());
    assertEquals(0, facts.path("kafka").path("messages_behind").asInt());
    assertEquals(FLOWS, facts.path("archive").path("flows").asInt());
    JsonNode reports = facts.path("reports").path("analyses");
    assertEquals("talkers", reports.path(0).path("analysis").asText());
    assertEquals(1, facts.path("lost").path("job").path("quarantined").asInt());
    assertEquals(0, facts.path("lost").path("job").path("gap_flows").asInt());
  }

  @Test
  void aFailureIsToldByItsLastCause() {
    String trace =
        "org.x.JobException: Recovery is suppressed\n\tat org.x.A.b(A.java:1)\n"
            + "Caused by: java.lang.RuntimeException: Caused by hand\n\tat org.x.C.d(C.java:2)\n"
            + "Caused by: java.io.IOException: no space left\n\t... 3 more\n";
    assertEquals("java.io.IOException: no space left", FlinkStatus.lastCause(trace));
    assertEquals("a.B: c", FlinkStatus.lastCause("a.B: c\n\tat d.E.f(E.java:1)\n"));
    assertEquals("", FlinkStatus.lastCause(""));
  }

  @Test
  void whatDoesNotAnswerIsNamedInALine() {
    CommandRun run =
        status(
            "--flink",
            "http://127.0.0.1:1",
            "--kafka",
            "127.0.0.1:1",
            "--collector",
            "http://127.0.0.1:1",
            "--archive",
            folder.resolve("none"));
    assertEquals(3, run.code(), run.toString());
    String plain = run.out().replaceAll("\\s+", " ");
    assertTrue(plain.contains("no Kafka broker answers at 127.0.0.1:1"), plain);
    assertTrue(
        plain.contains("the collector at http://127.0.0.1:1 does not answer: nothing"), plain);
    assertTrue(plain.contains("there is no archive at "), plain);
    assertTrue(plain.contains("lost cannot tell"), plain);
    assertTrue(
        run.out()
            .lines()
            .filter(line -> !line.contains(" WARN ")) // the clients' log, which tests show
            .allMatch(line -> line.length() <= 80),
        run.out());
    assertEquals(2, status("--flink", "nowhere").code());
    assertEquals(2, status("--collector", "ftp://127.0.0.1:1").code());
  }

  @Test
  void aCollectorIsAUrlOfHttp() {
    for (String wrong : new String[] {"ftp://127.0.0.1:2080", "127.0.0.1:2080", "http:///"}) {
      CommandRun run = status("--flink", "http://127.0.0.1:1", "--collector", wrong);
      assertEquals(2, run.code(), run.toString());
      assertTrue(run.err().contains("--collector " + wrong), run.err());
    }
    CommandRun run = status("--flink", "http://127.0.0.1:1", "--collector-token", "token");
    assertEquals(2, run.code(), run.toString());
    assertTrue(run.err().contains("--collector-token needs --collector"), run.err());
  }
}
