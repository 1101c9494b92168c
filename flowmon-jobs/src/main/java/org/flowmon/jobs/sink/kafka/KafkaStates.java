package org.flowmon.jobs.sink.kafka;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.flowmon.jobs.config.job.SiteConfig;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.site.StatesTopic;

/** States of a site in Kafka, at least once and in order: by one task to one partition. */
public final class KafkaStates {
  private KafkaStates() {}

  /** Creates the topic if missing; {@code ConfigException} if that is not possible. */
  public static void publish(DataStream<StatesRecord> states, SiteConfig site) {
    StatesTopic.createIfMissing(site.clientProperties(), site.topic());
    states
        .sinkTo(
            AtLeastOnceSink.of(
                site.bootstrap(), site.properties(), StatesTopic.writer(site.topic(), site.name())))
        .name("kafka-states")
        .uid("kafka-states")
        .setParallelism(1);
  }
}
