package org.flowmon.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A Kafka broker and controller in this JVM. */
public final class EmbeddedKafka implements AutoCloseable {
  private final KafkaRaftServer server;
  private final String bootstrap;

  public EmbeddedKafka(Path directory) throws Exception {
    int broker = freePort();
    int controller = freePort();
    bootstrap = "127.0.0.1:" + broker;
    Path log = directory.resolve("log");
    Map<String, Object> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    settings.put("listeners", "PLAINTEXT://" + bootstrap + ",CONTROLLER://127.0.0.1:" + controller);
    settings.put("advertised.listeners", "PLAINTEXT://" + bootstrap);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("log.dirs", log.toString());
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("auto.create.topics.enable", "false");
    // Messages of tests have times of years ago: the broker would delete them during the test.
    settings.put("log.retention.ms", "-1");
    Files.createDirectories(log);
    new Formatter()
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .addDirectory(log.toString())
        .setMetadataLogDirectory(log.toString())
        .setIgnoreFormatted(true)
        .run();
    server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
    server.startup();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String bootstrap() {
    return bootstrap;
  }

  public void createTopic(String topic, int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    }
  }

  public KafkaProducer<byte[], byte[]> producer() {
    // A broker in a busy test JVM may be slow, so a record waits long. An idempotent producer whose
    // request was answered too late sends it again until it expires, if the broker has gone on by
    // more batches than it remembers; this one may send it twice.
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", bootstrap,
            "linger.ms", "5",
            "batch.size", "262144",
            "enable.idempotence", "false",
            "max.in.flight.requests.per.connection", "1",
            "request.timeout.ms", "60000",
            "delivery.timeout.ms", "300000"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Returns the records of a topic's first partition, in order. */
  public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", "false"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  /** Returns the records of a topic's first partition as texts: their keys and values. */
  public List<Map.Entry<String, String>> messages(String topic) {
    return records(topic).stream()
        .map(record -> Map.entry(text(record.key()), text(record.value())))
        .toList();
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
