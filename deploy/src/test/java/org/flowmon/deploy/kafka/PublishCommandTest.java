package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishCommandTest {
  private static final String FLOW =
      "{\"timestamp\":\"2024-03-01T10:00:05+0000\",\"flow_id\":%d,\"event_type\":\"flow\","
          + "\"src_ip\":\"10.0.0.1\",\"dest_ip\":\"10.0.0.2\",\"proto\":\"UDP\","
          + "\"flow\":{\"start\":\"2024-03-01T09:59:59Z\",\"end\":\"2024-03-01T10:00:00Z\"}}\n";

  @TempDir private static Path directory;
  private static EmbeddedKafka kafka;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    kafka = EmbeddedKafka.start(directory);
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  /** The flows of a topic, and the largest of their arrivals. */
  private record Published(long flows, long lastArrival, long end) {}

  private static Published in(String topic) {
    long[] sums = {0, Long.MIN_VALUE, Long.MIN_VALUE};
    Map<String, Object> client = new HashMap<>();
    client.put("bootstrap.servers", kafka.bootstrapServers());
    try (TopicReader reader = new TopicReader(client)) {
      reader.choose(topic::equals);
      reader.readToEnd(
          message -> {
            FlowBatch batch = FlowBatch.open(message.value());
            sums[0] += batch.rows();
            if (batch.rows() > 0) {
              sums[1] = Math.max(sums[1], batch.maxArrival());
            } else {
              sums[2] = Math.max(sums[2], batch.maxArrival());
            }
          });
    }
    return new Published(sums[0], sums[1], sums[2]);
  }

  private CommandRun publish(String topic, Object... more) {
    Object[] all = new Object[more.length + 5];
    all[0] = "publish";
    all[1] = "--bootstrap";
    all[2] = kafka.bootstrapServers();
    all[3] = "--topic";
    all[4] = topic;
    System.arraycopy(more, 0, all, 5, more.length);
    return CommandRun.of(all);
  }

  @Test
  void filesArriveByTheirOwnClockAndTheirEndIsSaid() throws Exception {
    Path log = Files.writeString(folder.resolve("eve.json"), FLOW.formatted(1) + "{}\n");
    Path bad = Files.writeString(folder.resolve("bad"), "nothing");
    CommandRun said = publish("files", log, bad);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.out().contains("eve.json: suricata, 1 flows read, rejected {"), said.out());
    assertTrue(said.out().contains("1 flows read, 1 in topic files"), said.out());
    assertTrue(said.err().contains("bad: not read to its end: it is text"), said.err());
    Published there = in("files");
    assertEquals(1, there.flows());
    assertEquals(1_709_287_200_000_000L, there.lastArrival());
    assertTrue(there.end() > there.lastArrival(), "all windows close");
  }

  @Test
  void standardInputArrivesWhenItIsRead() {
    InputStream before = System.in;
    long start = FlowTime.now();
    try {
      String text = FLOW.formatted(1) + FLOW.formatted(2);
      System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      CommandRun said = publish("pipe", "-");
      assertEquals(ExitCodes.DONE, said.code(), said.toString());
    } finally {
      System.setIn(before);
    }
    Published there = in("pipe");
    assertEquals(2, there.flows());
    assertTrue(there.lastArrival() >= start);
  }

  @Test
  void aFollowedLogGoesOnWhereItWasPublishedAlsoAfterARotation() throws Exception {
    Path log = Files.writeString(folder.resolve("eve.json"), FLOW.formatted(1));
    Path state = folder.resolve("state");
    Object[] options = {"--follow", log, "--state", state, "--until-idle", "300ms"};
    CommandRun said = publish("log", options);
    assertEquals(ExitCodes.DONE, said.code(), said.toString());
    assertEquals(1, in("log").flows());
    Files.writeString(log, FLOW.formatted(2), StandardOpenOption.APPEND);
    Files.move(log, folder.resolve("eve.json.1"));
    Files.writeString(log, FLOW.formatted(3) + FLOW.formatted(4));
    said = publish("log", options);
    assertEquals(ExitCodes.DONE, said.code(), said.toString());
    assertTrue(said.out().contains("3 flows read, 3 in topic log"), said.out());
    assertEquals(4, in("log").flows());
    publish("log", options);
    assertEquals(4, in("log").flows());
  }

  @Test
  void messagesOfAnotherTopicBecomeFlowsAndAGroupGoesOnWhereItWas() throws Exception {
    kafka.createTopic("lines", 1, Map.of());
    Map<String, Object> client = Map.of("bootstrap.servers", kafka.bootstrapServers());
    Object[] options = {
      "--from-topic", "lines", "--from-property", "group.id=test", "--until-idle", "6s"
    };
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 10; i++) {
          byte[] line = FLOW.formatted(i).strip().getBytes(StandardCharsets.UTF_8);
          producer.send(new ProducerRecord<>("lines", line)).get();
        }
        CommandRun said = publish("from-lines", options);
        assertEquals(ExitCodes.DONE, said.code(), said.toString());
        assertTrue(said.out().contains("lines: suricata, 10 flows read"), said.out());
        assertEquals(10L * round, in("from-lines").flows());
      }
    }
  }

  @Test
  void wrongOptionsAreTheCallersMistake() {
    assertEquals(ExitCodes.USAGE, publish("x").code());
    assertEquals(ExitCodes.USAGE, publish("x", "file", "--follow", "log").code());
    assertEquals(ExitCodes.USAGE, publish("x", "file", "--state", "state").code());
    assertFalse(publish("x", "none").out().isEmpty());
  }
}
