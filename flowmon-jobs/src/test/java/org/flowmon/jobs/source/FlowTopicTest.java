package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.apache.kafka.common.errors.InterruptException;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.junit.jupiter.api.Test;

class FlowTopicTest {
  private static final JobConfig.Kafka NOBODY =
      new JobConfig.Kafka(
          "127.0.0.1:1",
          "flows",
          "flowmon",
          StartingOffsets.EARLIEST,
          null,
          Map.of("request.timeout.ms", "100", "default.api.timeout.ms", "100"));

  @Test
  void aBrokerThatDoesNotAnswerIsAnErrorThatNamesTheOption() {
    ConfigException e = assertThrows(ConfigException.class, () -> FlowTopic.lookUp(NOBODY));
    assertTrue(
        e.getMessage().startsWith("kafka.topic: 'flows' cannot be looked up at 127.0.0.1:1: "),
        e.getMessage());
  }

  @Test
  void anInterruptIsNoErrorOfTheConfiguration() {
    Thread.currentThread().interrupt();
    try {
      assertThrows(InterruptException.class, () -> FlowTopic.lookUp(NOBODY));
    } finally {
      assertTrue(Thread.interrupted(), "whoever waits next is interrupted, too");
    }
  }
}
