package org.flowmon.jobs.topic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.jobs.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, describes, reads and writes topics, with a time limit per request. Clients are
 * properties with the bootstrap servers. {@link ConfigException} says what Kafka refuses.
 */
public final class KafkaTopics {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaTopics.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int ATTEMPTS = 100;
  private static final long PAUSE_MILLIS = 100;

  private KafkaTopics() {}

  /** With the broker's defaults: not every broker creates a topic at the first write. */
  public static void createIfMissing(Map<String, Object> client, Collection<String> names) {
    try (Admin admin = Admin.create(client)) {
      names.forEach(
          name ->
              create(admin, new NewTopic(name, Optional.empty(), Optional.empty()), client, ""));
    }
  }

  public static void createIfMissing(Map<String, Object> client, NewTopic wanted) {
    try (Admin admin = Admin.create(client)) {
      create(admin, wanted, client, "");
    }
  }

  /** Creates a topic, and returns when it can be looked up: a moment later. */
  public static void createAndAwait(Map<String, Object> client, NewTopic wanted) {
    try (Admin admin = Admin.create(client)) {
      create(admin, wanted, client, "");
      describeNew(admin, wanted.name());
    }
  }

  /**
   * A topic of one partition with a setting. {@code consequence}: of an existing one with another
   * value; {@code option}: where another topic can be named.
   */
  public record Single(
      String name, String setting, String value, String consequence, String option) {}

  /**
   * If an existing topic is, or may be, set differently, warns of the consequence; {@link
   * ConfigException} if it has more partitions.
   */
  public static void createIfMissing(Map<String, Object> client, Single single) {
    String name = single.name();
    NewTopic wanted =
        new NewTopic(name, Optional.of(1), Optional.empty())
            .configs(Map.of(single.setting(), single.value()));
    try (Admin admin = Admin.create(client)) {
      create(
          admin,
          wanted,
          client,
          " with one partition and %s=%s, or name another in %s"
              .formatted(single.setting(), single.value(), single.option()));
      int partitions = describeNew(admin, name).partitions().size();
      if (partitions != 1) {
        throw new ConfigException(
            "topic %s has %d partitions, expected 1: the order of its messages matters"
                .formatted(name, partitions));
      }
      warnUnlessSet(admin, single);
    }
  }

  private static void create(
      Admin admin, NewTopic wanted, Map<String, Object> client, String advice) {
    try {
      get(admin.createTopics(List.of(wanted)).all());
    } catch (TopicExistsException e) {
      // as wanted
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw new ConfigException(
          "topic %s cannot be created at %s (%s); create it by hand%s"
              .formatted(wanted.name(), client.get("bootstrap.servers"), e, advice),
          e);
    }
  }

  /** Not every broker knows at once of a topic that was just created. */
  private static TopicDescription describeNew(Admin admin, String name) {
    for (int attempt = 1; ; attempt++) {
      try {
        return describe(admin, name);
      } catch (UnknownTopicOrPartitionException e) {
        if (attempt == ATTEMPTS) {
          throw new ConfigException("topic %s cannot be looked up (%s)".formatted(name, e), e);
        }
        sleep();
      } catch (InterruptException e) {
        throw e;
      } catch (KafkaException e) {
        throw new ConfigException("topic %s cannot be looked up (%s)".formatted(name, e), e);
      }
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private static void warnUnlessSet(Admin admin, Single wanted) {
    String name = wanted.name();
    String setting = wanted.setting();
    String value = wanted.value();
    String consequence = wanted.consequence();
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
    try {
      ConfigEntry entry = of(get(admin.describeConfigs(List.of(topic)).all()), topic).get(setting);
      String found = entry == null ? "unknown" : entry.value();
      if (!value.equals(found)) {
        LOG.warn("topic {}: {} is {}, expected {}: {}", name, setting, found, value, consequence);
      }
    } catch (InterruptException e) {
      throw e;
    } catch (TimeoutException e) {
      throw new ConfigException("topic %s cannot be looked up (%s)".formatted(name, e), e);
    } catch (KafkaException e) {
      LOG.warn(
          "topic {}: {} cannot be looked up ({}); if it is not {}: {}",
          name,
          setting,
          e.toString(),
          value,
          consequence);
    }
  }

  /** KafkaException: no answer or no such topic. */
  public static TopicDescription describe(Map<String, Object> client, String name) {
    try (Admin admin = Admin.create(client)) {
      return describe(admin, name);
    }
  }

  private static TopicDescription describe(Admin admin, String name) {
    return of(get(admin.describeTopics(List.of(name)).allTopicNames()), name);
  }

  private static <K, V> V of(Map<K, V> answers, K asked) {
    V answer = answers.get(asked);
    if (answer == null) {
      throw new KafkaException("the broker's answer leaves out " + asked);
    }
    return answer;
  }

  /** Throws Kafka's errors as they are. */
  private static <T> T get(Future<T> answer) {
    try {
      return answer.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause
          ? cause
          : new KafkaException(String.valueOf(e.getCause()), e);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new TimeoutException("no answer within " + TIMEOUT.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /** Waits until Kafka has taken all messages; returns the offset of the last. */
  public static long send(
      Map<String, Object> client, List<ProducerRecord<byte[], byte[]>> messages) {
    Map<String, Object> all = new HashMap<>(client);
    all.put("acks", "all");
    all.put("max.block.ms", (int) TIMEOUT.toMillis());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      messages.forEach(message -> sent.add(producer.send(message)));
      long last = -1;
      for (Future<RecordMetadata> one : sent) {
        last = get(one).offset();
      }
      return last;
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw new ConfigException(
          "topic %s: a message was not taken: %s".formatted(messages.get(0).topic(), e), e);
    }
  }

  /** Keeps no offsets in Kafka. */
  public static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> client) {
    Map<String, Object> all = new HashMap<>(client);
    all.put("auto.offset.reset", "none");
    all.put("enable.auto.commit", "false");
    return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Reads a topic of one partition, in order; returns the offset after it. {@link TimeoutException}
   * if no message comes for long.
   */
  public static long read(
      Map<String, Object> client, String topic, Consumer<ConsumerRecord<byte[], byte[]>> to) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(client)) {
      return read(consumer, topic, TIMEOUT, to);
    }
  }

  static long read(
      org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
      String topic,
      Duration limit,
      Consumer<ConsumerRecord<byte[], byte[]>> to) {
    TopicPartition partition = new TopicPartition(topic, 0);
    long end = of(consumer.endOffsets(List.of(partition), limit), partition);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long last = System.nanoTime();
    while (consumer.position(partition, limit) < end) {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofMillis(200))) {
        last = System.nanoTime();
        if (message.offset() < end) {
          to.accept(message);
        }
      }
      if (System.nanoTime() - last > limit.toNanos()) {
        throw new TimeoutException(
            "topic " + topic + ": no message came for " + limit.toSeconds() + " s");
      }
    }
    return end;
  }
}
