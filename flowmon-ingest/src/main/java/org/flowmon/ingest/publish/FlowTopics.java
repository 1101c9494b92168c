package org.flowmon.ingest.publish;

import java.io.IOException;
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
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Makes the topic of flows. */
public final class FlowTopics {
  /** Partitions where nothing else is configured. */
  public static final int DEFAULT_PARTITIONS = 4;

  private static final int TIMEOUT_SECONDS = 30;
  private static final int TRIES = 50;

  private FlowTopics() {}

  /**
   * Makes a topic where it is missing. One that is there stays as it is.
   *
   * @param properties further settings of Kafka's admin client
   * @param replication copies; empty: the broker's default
   * @param config the topic's settings where it is made, for example {@code retention.ms}
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
    try (Admin admin = Admin.create(settings)) {
      NewTopic wanted = new NewTopic(topic, Optional.of(partitions), replication).configs(config);
      create(admin, wanted);
      return describe(admin, topic);
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      throw new IOException(
          "topic '" + topic + "' cannot be made at " + bootstrap + ": " + cause, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making topic '" + topic + "'", e);
    }
  }

  /** As the other, with the broker's replication and the topic settings of {@code flows}. */
  public static int ensure(String bootstrap, String topic, int partitions) throws IOException {
    return ensure(
        bootstrap,
        Map.of(),
        topic,
        partitions,
        Optional.empty(),
        Map.of("max.message.bytes", Integer.toString(8 << 20)));
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
