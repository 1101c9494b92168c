package org.flowmon.deploy.report;

import java.util.List;
import java.util.Map;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/** The topic of alerts, with the state of each alert by its last message. */
final class AlertsTopic implements AutoCloseable {
  private final TopicReader reader;
  private final AlertStates states = new AlertStates();

  private AlertsTopic(TopicReader reader) {
    this.reader = reader;
  }

  /**
   * Reads the existing messages, too.
   *
   * @throws CommandException if there is no broker or no topic
   */
  static AlertsTopic open(Map<String, Object> properties) {
    AlertsTopic topic = new AlertsTopic(new TopicReader(properties));
    try {
      if (topic.reader.choose(KafkaReports.ALERTS_TOPIC::equals).isEmpty()) {
        throw new CommandException(
            "no topic "
                + KafkaReports.ALERTS_TOPIC
                + ": no job with alerts that go to Kafka was submitted");
      }
      topic.readOn();
      return topic;
    } catch (RuntimeException e) {
      topic.close();
      throw e;
    }
  }

  void readOn() {
    reader.readToEnd(states::add);
  }

  /** The last message of each alert, in the order of the alerts' beginnings. */
  List<AlertStates.Message> alerts() {
    return states.alerts();
  }

  long unreadable() {
    return states.unreadable();
  }

  @Override
  public void close() {
    reader.close();
  }
}
