package org.flowmon.jobs.source;

import java.io.Serializable;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.topic.KafkaTopics;

/**
 * The topic of flows. Its {@code id} is Kafka's, another if it is deleted and created again; {@code
 * partitions} are as looked up.
 */
public record FlowTopic(String name, String id, int partitions) implements Serializable {
  /** The keys of its partitions: those looked up, and later ones in {@code known}, with records. */
  public Set<String> sourceKeys(Collection<String> known) {
    Set<String> keys = new TreeSet<>();
    SourceKeys own = new SourceKeys(id);
    for (int partition = 0; partition < partitions; partition++) {
      keys.add(own.of(partition));
    }
    known.stream().filter(key -> key.startsWith(id + ":")).forEach(keys::add);
    return keys;
  }

  /** Throws {@link ConfigException} if Kafka does not answer or has no such topic. */
  public static FlowTopic lookUp(JobConfig.Kafka kafka) {
    try {
      TopicDescription topic = KafkaTopics.describe(kafka.clientProperties(), kafka.topic());
      return new FlowTopic(kafka.topic(), topic.topicId().toString(), topic.partitions().size());
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw new ConfigException(
          "kafka.topic: '%s' cannot be looked up at %s: %s"
              .formatted(kafka.topic(), kafka.bootstrap(), e),
          e);
    }
  }
}
