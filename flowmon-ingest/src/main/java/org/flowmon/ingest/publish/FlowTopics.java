package org.flowmon.ingest.publish;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the topic of flows. */
public final class FlowTopics {
  /** Partitions where nothing else is configured. */
  public static final int DEFAULT_PARTITIONS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(FlowTopics.class);

  /** How long Kafka is waited for. */
  public static final int TIMEOUT_SECONDS = 30;

  private static final int TRIES = 50;

  private FlowTopics() {}

  /**
   * Makes a topic where it is missing. One that is there stays as it is; where it takes smaller
   * messages only than publishers send, the log says so.
   *
   * @param properties further settings of Kafka's admin client
   * @param replication copies; empty: the broker's default
   * @param config the topic's settings where it is made, for example {@code retention.ms}; {@code
   *     max.message.bytes} fits what publishers send and {@code message.timestamp.type} is {@code
   *     LogAppendTime} where they are not among them
   * @return the topic's partitions, as they are now
   * @throws IOException naming topic and broker where Kafka does not do it
   */
  public static int ensure(
      String bootstrap,
      Map<String, String> properties,
      String topic,
      int partitions,
      Optional<Short> replication,
      Map<String, String> config)
      throws IOException {
    Map<String, Object> settings = new HashMap<>(properties);
    settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.putIfAbsent(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Integer.toString(TIMEOUT_SECONDS * 1000));
    Admin admin = Admin.create(settings);
    try {
      Map<String, String> made = new HashMap<>(config);
      made.putIfAbsent(
          TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
          Integer.toString(PublisherOptions.MAX_MESSAGE_BYTES));
      // Arrivals are held against the broker's clock, which no producer sets.
      made.putIfAbsent(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
      // Who may write a topic need not be allowed to make one.
      if (!isThere(admin, topic)) {
        create(admin, new NewTopic(topic, Optional.of(partitions), replication).configs(made));
      }
      int found = describe(admin, topic);
      tooSmall(admin, topic).ifPresent(LOG::warn);
      return found;
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      if (cause instanceof TimeoutException
          || cause instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw new IOException("no Kafka broker answered at " + bootstrap, cause);
      }
      throw new IOException(
          "topic '" + topic + "' cannot be made at " + bootstrap + ": " + cause, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making topic '" + topic + "'", e);
    } finally {
      // Nobody waits any more for calls that are under way: closing does not either.
      admin.close(Duration.ZERO);
    }
  }

  /** As the other, with the broker's replication and the topic settings of {@code flows}. */
  public static int ensure(String bootstrap, String topic, int partitions) throws IOException {
    return ensure(bootstrap, Map.of(), topic, partitions, Optional.empty(), Map.of());
  }

  private static boolean isThere(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    try {
      var unused =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  private static void create(Admin admin, NewTopic topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    try {
      admin.createTopics(List.of(topic)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  /** What is wrong with a topic that refuses messages which publishers may send. */
  static Optional<String> tooSmall(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    String found;
    try {
      found =
          admin
              .describeConfigs(List.of(resource))
              .all()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .get(resource)
              .get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
              .value();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return Optional.empty(); // who may write to a topic need not be allowed to see its settings
      }
      throw e;
    }
    int wanted = PublisherOptions.MAX_MESSAGE_BYTES;
    return Long.parseLong(found) >= wanted
        ? Optional.empty()
        : Optional.of(
            String.format(
                "topic '%s' takes messages of at most %s bytes (max.message.bytes), publishers send"
                    + " up to %d: larger batches will be lost, counted as record_too_large. To mend"
                    + " it: kafka-configs.sh --alter --entity-type topics --entity-name %s"
                    + " --add-config max.message.bytes=%d",
                topic, found, wanted, topic, wanted));
  }

  /** A new topic takes a moment until every broker knows it. */
  private static int describe(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        TopicDescription description =
            admin
                .describeTopics(List.of(topic))
                .allTopicNames()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .get(topic);
        return description.partitions().size();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || attempt == TRIES) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }
}
