package org.flowmon.deploy.kafka;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import picocli.CommandLine.Option;

/** The topic that flows are written to. */
final class TopicOptions {
  @Option(
      names = "--topic",
      description =
          "Default: kafka.topic of --config, without one " + PublisherOptions.DEFAULT_TOPIC + ".")
  private Optional<String> topic = Optional.empty();

  @Option(
      names = "--partitions",
      defaultValue = "4",
      description = "Partitions of the topic if it does not exist yet; default ${DEFAULT-VALUE}.")
  private int partitions;

  String name(KafkaOptions kafka) {
    return topic
        .or(() -> kafka.job().map(job -> job.kafka().topic()))
        .orElse(PublisherOptions.DEFAULT_TOPIC);
  }

  /** Creates the topic unless it exists. */
  void ensure(PublisherOptions options) throws IOException {
    FlowTopics.ensure(
        options.bootstrap(),
        options.properties(),
        options.topic(),
        partitions,
        Optional.empty(),
        Map.of());
  }
}
