package org.flowmon.deploy.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.InterruptedCommandException;

/** Reads topics from their beginning, then new messages; committed ones, without consumer group. */
public final class TopicReader implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String bootstrap;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Set<String> topics = new TreeSet<>();

  /**
   * {@code properties} include the bootstrap servers.
   *
   * @throws CommandException if they are wrong
   */
  public TopicReader(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("isolation.level", "read_committed");
    all.put("enable.auto.commit", "false");
    all.put("allow.auto.create.topics", "false");
    // Applies if unread messages are deleted meanwhile, for example by a topic's retention.
    all.put("auto.offset.reset", "earliest");
    all.put("max.poll.records", 5000);
    this.bootstrap = String.valueOf(properties.get("bootstrap.servers"));
    try {
      this.consumer =
          new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CommandException(
          "Kafka cannot be read at " + bootstrap + ": " + cause.getMessage());
    }
  }

  /**
   * Looks for topics, from now on also reads those chosen and their new partitions; returns all
   * that it reads.
   *
   * @throws CommandException if no broker answers
   */
  public Set<String> choose(Predicate<String> chosen) {
    try {
      Set<TopicPartition> known = consumer.assignment();
      List<TopicPartition> fresh = new ArrayList<>();
      for (List<PartitionInfo> topic : consumer.listTopics(PATIENCE).values()) {
        for (PartitionInfo one : topic) {
          TopicPartition partition = new TopicPartition(one.topic(), one.partition());
          if (chosen.test(one.topic()) && !known.contains(partition)) {
            fresh.add(partition);
            topics.add(one.topic());
          }
        }
      }
      if (!fresh.isEmpty()) {
        List<TopicPartition> all = new ArrayList<>(known);
        all.addAll(fresh);
        consumer.assign(all);
        consumer.seekToBeginning(fresh);
      }
      return topics;
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  public Set<String> names(String prefix) {
    try {
      Set<String> names = new TreeSet<>(consumer.listTopics(PATIENCE).keySet());
      names.removeIf(name -> !name.startsWith(prefix));
      return names;
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  /** Reads up to the topics' current ends; the messages of one partition come in order. */
  public void readToEnd(Consumer<ConsumerRecord<byte[], byte[]>> out) {
    try {
      Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment(), PATIENCE);
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (ends.entrySet().stream()
          .anyMatch(one -> consumer.position(one.getKey()) < one.getValue())) {
        if (poll(Duration.ofMillis(500), out)) {
          end = System.nanoTime() + PATIENCE.toNanos();
        }
        if (System.nanoTime() > end) {
          throw new CommandException(
              "the broker gave nothing of " + what() + " for " + PATIENCE.toSeconds() + " s");
        }
      }
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  /** Returns whether new messages came, for at most {@code time}. */
  public boolean poll(Duration time, Consumer<ConsumerRecord<byte[], byte[]>> out) {
    try {
      if (topics.isEmpty()) {
        Thread.sleep(time.toMillis()); // Kafka's client does not wait without partitions
        return false;
      }
      boolean any = false;
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(time)) {
        any = true;
        out.accept(record);
      }
      return any;
    } catch (KafkaException e) {
      throw failed(e);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    }
  }

  /** Ends a wait of another thread in this reader. */
  public void wakeUp() {
    consumer.wakeup();
  }

  private CommandException failed(KafkaException e) {
    if (e instanceof WakeupException) {
      throw new InterruptedCommandException();
    }
    return new CommandException(what() + " cannot be read at " + bootstrap + ": " + e.getMessage());
  }

  private String what() {
    return topics.isEmpty() ? "Kafka" : "topic " + String.join(", ", topics);
  }

  @Override
  public void close() {
    try {
      consumer.close();
    } catch (KafkaException e) {
      // nothing was written
    }
  }
}
