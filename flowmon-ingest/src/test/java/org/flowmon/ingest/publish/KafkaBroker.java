package org.flowmon.ingest.publish;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A Kafka broker and controller in this JVM. */
final class KafkaBroker implements AutoCloseable {
  private final KafkaRaftServer server;
  private final String bootstrap;

  KafkaBroker(Path directory) throws Exception {
    int broker = freePort();
    int controller = freePort();
    bootstrap = "127.0.0.1:" + broker;
    Map<String, Object> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    settings.put("listeners", "PLAINTEXT://" + bootstrap + ",CONTROLLER://127.0.0.1:" + controller);
    settings.put("advertised.listeners", "PLAINTEXT://" + bootstrap);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("log.dirs", directory.toString());
    settings.put("default.replication.factor", "1");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("auto.create.topics.enable", "false");
    Files.createDirectories(directory);
    PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    new Formatter()
        .setPrintStream(silent)
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .addDirectory(directory.toString())
        .setMetadataLogDirectory(directory.toString())
        .setIgnoreFormatted(true)
        .run();
    server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
    server.startup();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  String bootstrap() {
    return bootstrap;
  }

  /** All messages of a partition, from its beginning to its current end. */
  List<ConsumerRecord<byte[], byte[]>> read(String topic, int partition) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "max.partition.fetch.bytes", 16 << 20),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition from = new TopicPartition(topic, partition);
      consumer.assign(List.of(from));
      consumer.seekToBeginning(List.of(from));
      long end = consumer.endOffsets(List.of(from)).get(from);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (consumer.position(from) < end) {
        consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
      }
      return records;
    }
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
