package org.flowmon.deploy.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedKafkaTest {
  @TempDir Path directory;

  @Test
  void whatWasSentIsThereAgainAfterARestart() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      kafka.createTopic("t", 2, Map.of("retention.ms", "-1"));
      kafka.createTopic("t", 2, Map.of()); // it exists: nothing happens
      send(kafka.bootstrapServers(), "first");
    }
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
      send(kafka.bootstrapServers(), "second");
      assertEquals(List.of("first", "second"), receive(kafka.bootstrapServers(), 2));
    }
  }

  @Test
  void aProcessThatIsKilledComesBackWithItsData() throws Exception {
    Process first = process();
    String bootstrap = ready(first);
    int port = Integer.parseInt(bootstrap.substring(bootstrap.indexOf(':') + 1));
    try {
      EmbeddedKafka.createTopic(bootstrap, "t", 1, Map.of());
      send(bootstrap, "first");
    } finally {
      first.destroyForcibly().waitFor();
    }
    Process second = process(Integer.toString(port));
    try {
      assertEquals(bootstrap, ready(second));
      assertEquals(List.of("first"), receive(bootstrap, 1));
      second.getOutputStream().close(); // the end of its input ends it
      assertTrue(second.waitFor(30, TimeUnit.SECONDS));
      assertEquals(0, second.exitValue());
    } finally {
      second.destroyForcibly();
    }
  }

  @Test
  void aDirectoryThatCannotBeOneIsNamed() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    EmbeddedServiceException e =
        assertThrows(EmbeddedServiceException.class, () -> EmbeddedKafka.start(file));
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }

  private Process process(String... port) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), EmbeddedKafka.class.getName()));
    command.add(directory.resolve("process").toString());
    command.addAll(List.of(port));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String ready(Process process) throws Exception {
    BufferedReader reader = process.inputReader();
    String line = reader.readLine();
    assertTrue(line != null && line.startsWith("READY "), "said " + line);
    return line.substring("READY ".length());
  }

  private static void send(String bootstrap, String value) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>("t", 0, null, value)).get(30, TimeUnit.SECONDS);
    }
  }

  private static List<String> receive(String bootstrap, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition("t", 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (values.size() < count) {
        for (ConsumerRecord<String, String> r : consumer.poll(Duration.ofSeconds(1))) {
          values.add(r.value());
        }
      }
    }
    return values;
  }
}
