package org.flowmon.deploy.input;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.ingest.file.format.GoFlowHead;
import org.flowmon.ingest.file.live.LiveSource;

/**
 * The messages of a topic, one after the other. GoFlow2's protobuf stays as it is; after any other
 * message without a line feed at its end one is added. With a {@code group.id} it goes on from the
 * group's committed offsets, else it begins with the oldest message, or as {@code
 * auto.offset.reset} says. Not thread-safe.
 */
final class TopicSource implements LiveSource {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The consumer's positions when so many bytes had been given. */
  private record Mark(long given, Map<TopicPartition, OffsetAndMetadata> positions) {}

  private final String topic;
  private final boolean hasGroup;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Deque<Mark> marks = new ArrayDeque<>();
  private final Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
  private final long openedNanos = System.nanoTime();
  private boolean hasBegun;
  private boolean isProtobuf;
  private long given;

  /**
   * Opens it.
   *
   * @param properties include the bootstrap servers
   * @param isProtobuf whether the user says so; else the messages tell
   */
  TopicSource(String topic, Map<String, Object> properties, boolean isProtobuf) {
    this.isProtobuf = isProtobuf;
    Map<String, Object> all = new HashMap<>(properties);
    all.putIfAbsent("auto.offset.reset", "earliest");
    all.put("enable.auto.commit", "false");
    all.put("allow.auto.create.topics", "false");
    this.topic = topic;
    this.hasGroup = all.containsKey("group.id");
    KafkaConsumer<byte[], byte[]> opened = null;
    try {
      opened = new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      List<PartitionInfo> known = opened.partitionsFor(topic, PATIENCE);
      if (known == null || known.isEmpty()) {
        throw new CommandException("--from-topic " + topic + ": there is no such topic");
      }
      if (hasGroup) {
        opened.subscribe(List.of(topic));
      } else {
        List<TopicPartition> partitions = new ArrayList<>();
        known.forEach(one -> partitions.add(new TopicPartition(topic, one.partition())));
        opened.assign(partitions);
      }
    } catch (KafkaException | CommandException e) {
      if (opened != null) {
        opened.close();
      }
      throw e instanceof KafkaException kafka ? failed(kafka) : e;
    }
    this.consumer = opened;
  }

  @Override
  public Optional<byte[]> next(long millis) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofMillis(millis))) {
        byte[] value = message.value();
        if (value != null && value.length > 0) {
          bytes.writeBytes(value);
          isProtobuf = isProtobuf || GoFlowHead.begins(value);
          if (!isProtobuf && value[value.length - 1] != '\n') {
            bytes.write('\n');
          }
        }
        positions.put(
            new TopicPartition(message.topic(), message.partition()),
            new OffsetAndMetadata(message.offset() + 1));
      }
    } catch (KafkaException e) {
      throw failed(e);
    }
    if (bytes.size() > 0) {
      given += bytes.size();
      marks.add(new Mark(given, new HashMap<>(positions)));
    }
    return Optional.of(bytes.toByteArray());
  }

  @Override
  public boolean givesWholeRecords() {
    return true;
  }

  /**
   * Whether the messages that were there can have come: false while the group assigns partitions
   * and the first messages are fetched, for {@link #PATIENCE} at most.
   */
  boolean hasBegun() {
    if (!hasBegun) {
      Set<TopicPartition> assigned = consumer.assignment();
      hasBegun =
          System.nanoTime() - openedNanos >= PATIENCE.toNanos()
              || (!assigned.isEmpty()
                  && assigned.stream().allMatch(one -> consumer.currentLag(one).isPresent()));
    }
    return hasBegun;
  }

  /** Commits the group's offsets of the messages up to here. */
  void commit(long taken) {
    Map<TopicPartition, OffsetAndMetadata> done = Map.of();
    while (!marks.isEmpty() && marks.element().given <= taken) {
      done = marks.remove().positions;
    }
    if (hasGroup && !done.isEmpty()) {
      try {
        consumer.commitSync(done, PATIENCE);
      } catch (KafkaException e) {
        throw failed(e);
      }
    }
  }

  private CommandException failed(KafkaException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    return new CommandException("--from-topic " + topic + " cannot be read: " + cause.getMessage());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
