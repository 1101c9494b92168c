package org.flowmon.jobs.control;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;

/** Lets a fuzzer at what reads the messages of the control topics, which the package keeps. */
public final class ControlMessages {
  private ControlMessages() {}

  /** An outcome of a change, as commands read it. */
  public static void outcome(byte[] message) {
    var unused = ControlStatus.parse(message);
  }

  /** What a job says that it runs, as commands read it. */
  public static void running(byte[] message) {
    var unused = RunningAnalyses.parse(message);
  }

  /**
   * A change, as a job reads it.
   *
   * @throws ConfigException naming the topic if its text is no analysis
   */
  public static void change(byte[] key, byte[] value) {
    ConsumerRecord<byte[], byte[]> message = new ConsumerRecord<>("topic", 0, 5, key, value);
    if (ControlTopic.isMessage(message)) {
      ControlTopic.change(message);
      AnalysisConfig.parse("input.yaml", new String(value, StandardCharsets.UTF_8));
    }
  }
}
