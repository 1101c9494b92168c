package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
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

  /** Sends messages to a topic that exists. */
  private static void send(String topic, List<byte[]> messages) throws Exception {
    Map<String, Object> client = Map.of("bootstrap.servers", kafka.bootstrapServers());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (byte[] message : messages) {
        producer.send(new ProducerRecord<>(topic, message)).get();
      }
    }
  }

  private static List<byte[]> lines(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> FLOW.formatted(i).strip().getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void messagesOfAnotherTopicBecomeFlowsAndAGroupGoesOnWhereItWas() throws Exception {
    kafka.createTopic("lines", 1, Map.of());
    Object[] options = {
      "--from-topic", "lines", "--from-property", "group.id=test", "--until-idle", "300ms"
    };
    for (int round = 1; round <= 2; round++) {
      send("lines", lines(10));
      CommandRun said = publish("from-lines", options);
      assertEquals(ExitCodes.DONE, said.code(), said.toString());
      assertTrue(said.out().contains("lines: suricata, 10 flows read"), said.out());
      assertEquals(10L * round, in("from-lines").flows());
    }
  }

  @Test
  void anImportOfATopicCommitsTheOffsetsOfItsGroup() throws Exception {
    kafka.createTopic("imported", 2, Map.of());
    for (int round = 1; round <= 3; round++) {
      int flows = round < 3 ? 10 * round : 0;
      send("imported", lines(flows));
      CommandRun said =
          CommandRun.of(
              "import",
              "--from-topic",
              "imported",
              "--from-kafka",
              kafka.bootstrapServers(),
              "--from-property",
              "group.id=import",
              "--until-idle",
              "300ms",
              "--archive",
              folder.resolve("archive"));
      assertEquals(ExitCodes.DONE, said.code(), said.toString());
      assertTrue(
          said.out().contains("1 of 1 files, " + flows + " flows imported; lost: nothing"),
          round + ": " + said);
    }
  }

  @Test
  void aTopicThatIsNotThereFailsAndLeavesNoArchive() {
    Path archive = folder.resolve("archive");
    CommandRun said =
        CommandRun.of(
            "import",
            "--from-topic",
            "nowhere",
            "--from-kafka",
            kafka.bootstrapServers(),
            "--archive",
            archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().contains("there is no such topic"), said.err());
    assertFalse(Files.exists(archive));
  }

  @Test
  void protobufOfATopicStaysAsItIs() throws Exception {
    kafka.createTopic("protobuf", 1, Map.of());
    List<byte[]> messages = new ArrayList<>();
    for (int size = 90; size < 128; size++) { // lengths that are letters and braces of text, too
      byte[] message = message(size);
      assertEquals(size, message[0]);
      messages.add(message);
    }
    send("protobuf", messages);
    CommandRun said = publish("from-protobuf", "--from-topic", "protobuf", "--until-idle", "300ms");
    assertEquals(ExitCodes.DONE, said.code(), said.toString());
    assertTrue(said.out().contains("goflow2_protobuf, 38 flows read"), said.out());
  }

  /** A message of GoFlow2 after its length: end, two addresses, bytes, and a name to fill it. */
  private static byte[] message(int size) {
    ByteBuffer out = ByteBuffer.allocate(1 + size).put((byte) size);
    out.put((byte) 0x28); // field 5, seconds
    for (long rest = 1_700_000_000; ; rest >>>= 7) {
      out.put((byte) (rest < 128 ? rest : (rest & 0x7F) | 0x80));
      if (rest < 128) {
        break;
      }
    }
    out.put((byte) 0x32).put((byte) 4).put(new byte[] {10, 0, 0, 1});
    out.put((byte) 0x3A).put((byte) 4).put(new byte[] {10, 0, 0, 2});
    out.put((byte) 0x48).put((byte) 7); // field 9, bytes
    out.put((byte) 0xCA).put((byte) 0x3E).put((byte) (out.remaining() - 1)); // field 1001
    return out.array();
  }

  @Test
  void flowsAreMadeOfThePacketsOfACapture() throws Exception {
    ByteBuffer capture = ByteBuffer.allocate(24 + 16 + 28);
    capture.putInt(0xA1B2C3D4).putInt(0x0002_0004).putLong(0).putInt(65_535).putInt(101);
    capture.putInt(1_700_000_000).putInt(0).putInt(28).putInt(28);
    capture.put(new byte[] {0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17});
    Path file = Files.write(folder.resolve("traffic.pcap"), capture.array());
    CommandRun refused = publish("packets", file);
    assertEquals(ExitCodes.FAILED, refused.code(), refused.toString());
    assertTrue(refused.err().contains("--from-packets makes flows"), refused.err());
    CommandRun made = publish("packets", file, "--from-packets");
    assertEquals(ExitCodes.DONE, made.code(), made.toString());
    assertEquals(1, in("packets").flows());
  }

  @Test
  void wrongOptionsAreTheCallersMistake() {
    assertEquals(ExitCodes.USAGE, publish("x").code());
    assertEquals(ExitCodes.USAGE, publish("x", "file", "--follow", "log").code());
    assertEquals(ExitCodes.USAGE, publish("x", "file", "--state", "state").code());
    assertFalse(publish("x", "none").out().isEmpty());
  }
}
