package org.flowmon.jobs.site.centre;

import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.site.StatesTopic;
import org.flowmon.jobs.source.FlowSource;

/** The source of a job that merges states of sites, in place of {@link FlowSource}. */
public final class StatesSource {
  private StatesSource() {}

  /** Creates the source for a job with a configured merge. */
  public static KafkaSource<StatesRecord> of(JobConfig config) {
    JobConfig.Kafka kafka = config.kafka();
    KafkaSourceBuilder<StatesRecord> builder =
        KafkaSource.<StatesRecord>builder()
            .setBootstrapServers(kafka.bootstrap())
            .setTopics(config.merge().topic())
            .setGroupId(kafka.group())
            .setStartingOffsets(FlowSource.startingOffsets(kafka))
            .setDeserializer(StatesTopic.reader())
            .setProperties(FlowSource.properties(kafka));
    if (config.job().bounded()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }
}
