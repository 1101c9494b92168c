package org.flowmon.ingest.publish;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the topic of flows. */
public final class FlowTopics {
  private static final Logger LOG = LoggerFactory.getLogger(FlowTopics.class);

  public static final int TIMEOUT_SECONDS = 30;

  private static final int TRIES = 50;

  private FlowTopics() {}

  /**
   * Creates a topic if it is missing and returns its number of partitions. An existing one is not
   * changed; the log says if its message size limit is below the publishers'.
   *
   * @param properties further settings of Kafka's admin client
   * @param replication copies; empty: the broker's default
   * @param config of a new topic, for example {@code retention.ms}. By default, {@code
   *     max.message.bytes} fits the publishers' messages, {@code message.timestamp.type} is {@code
   *     LogAppendTime}
   * @throws IOException naming topic and broker if Kafka refuses or does not answer
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
      // Arrivals are compared with the broker's clock, which no producer sets.
      made.putIfAbsent(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
      // A writer of a topic need not have permission to create one.
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
      // Nobody waits for pending calls any more: closing does not either.
      admin.close(Duration.ZERO);
    }
  }

  /** Creates a topic with the broker's replication and the topic settings of {@code flows}. */
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

  /** Describes the problem if the topic refuses messages that publishers may send. */
  public static Optional<String> tooSmall(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    String found;
    try {
      Config settings =
          admin
              .describeConfigs(List.of(resource))
              .all()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .getOrDefault(resource, new Config(List.of()));
      ConfigEntry entry = settings.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
      if (entry == null) {
        return Optional.empty();
      }
      found = entry.value();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return Optional.empty(); // a writer of a topic need not have permission to see its settings
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

  /** A new topic takes a moment to be known to every broker. */
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
        return Objects.requireNonNull(description).partitions().size();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || attempt == TRIES) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }
}
