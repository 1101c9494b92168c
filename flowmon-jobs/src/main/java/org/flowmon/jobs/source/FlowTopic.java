package org.flowmon.jobs.source;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;

/**
 * The topic of flows in Kafka.
 *
 * @param id Kafka's own id of the topic: a topic that is deleted and created again has another
 * @param partitions their number when it was looked up
 */
public record FlowTopic(String name, String id, int partitions) implements Serializable {
  private static final int TIMEOUT_SECONDS = 30;

  /**
   * Returns the keys of the sources that are this topic's partitions: those of the look-up, and
   * later ones among the known sources.
   *
   * @param known sources with records
   */
  public Set<String> sourceKeys(Collection<String> known) {
    Set<String> keys = new TreeSet<>();
    SourceKeys own = new SourceKeys(id);
    for (int partition = 0; partition < partitions; partition++) {
      keys.add(own.of(partition));
    }
    known.stream().filter(key -> key.startsWith(id + ":")).forEach(keys::add);
    return keys;
  }

  /**
   * Asks Kafka.
   *
   * @throws ConfigException if Kafka does not answer or has no such topic
   */
  public static FlowTopic lookUp(JobConfig.Kafka kafka) {
    try (Admin admin = Admin.create(kafka.clientProperties())) {
      TopicDescription topic =
          admin
              .describeTopics(List.of(kafka.topic()))
              .allTopicNames()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .get(kafka.topic());
      return new FlowTopic(kafka.topic(), topic.topicId().toString(), topic.partitions().size());
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
      throw new ConfigException(
          "kafka.topic: '"
              + kafka.topic()
              + "' cannot be looked up at "
              + kafka.bootstrap()
              + ": "
              + cause,
          cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConfigException("interrupted while looking up topic " + kafka.topic(), e);
    }
  }
}
