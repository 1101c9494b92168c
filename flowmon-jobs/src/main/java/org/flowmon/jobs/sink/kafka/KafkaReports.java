package org.flowmon.jobs.sink.kafka;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.sink.ReportMessage;
import org.flowmon.jobs.sink.SinkFilter;
import org.flowmon.jobs.topic.KafkaTopics;

/**
 * Reports in Kafka, at least once: a message per row in topic {@code flowmon.reports.<analysis>},
 * or one without rows. Readers keep each window's highest revision ({@code
 * docs/format/reports.md}).
 */
public final class KafkaReports {
  public static final String TOPIC_PREFIX = "flowmon.reports.";

  public static final String ALERTS_TOPIC = "flowmon.alerts";

  private static final String SINK = "kafka";

  private KafkaReports() {}

  /** Of reports whose analyses name the sink {@code kafka}. */
  public static SingleOutputStreamOperator<ReportMessage> messages(
      DataStream<Report> reports, List<AnalysisConfig> analyses) {
    SinkFilter chosen = new SinkFilter(SINK, analyses);
    return reports
        .flatMap(
            (Report report, Collector<ReportMessage> out) -> {
              if (chosen.filter(report)) {
                collect(report, TOPIC_PREFIX + report.analysis(), out);
              }
            })
        .returns(ReportMessage.TYPE);
  }

  /** Of all reports, whatever sinks their analyses name, for a topic. */
  public static SingleOutputStreamOperator<ReportMessage> messagesTo(
      String topic, DataStream<Report> reports) {
    return reports
        .flatMap((Report report, Collector<ReportMessage> out) -> collect(report, topic, out))
        .returns(ReportMessage.TYPE);
  }

  private static void collect(Report report, String topic, Collector<ReportMessage> out) {
    ReportJson.messages(
        report,
        (key, value) ->
            out.collect(
                new ReportMessage(
                    topic,
                    key.getBytes(StandardCharsets.UTF_8),
                    value.getBytes(StandardCharsets.UTF_8))));
  }

  /** Creates missing topics; {@code ConfigException} if that is not possible. */
  public static void createTopics(JobConfig.Kafka kafka, List<AnalysisConfig> analyses) {
    Set<String> topics = new LinkedHashSet<>();
    for (AnalysisConfig analysis : analyses) {
      if (analysis.sinks().contains(SINK)) {
        topics.add(TOPIC_PREFIX + analysis.name());
      }
      if (!analysis.alerts().isEmpty()) {
        topics.add(ALERTS_TOPIC);
      }
    }
    KafkaTopics.createIfMissing(kafka.clientProperties(), topics);
  }

  public static Sink<ReportMessage> sink(JobConfig.Kafka kafka) {
    return AtLeastOnceSink.of(
        kafka.bootstrap(),
        kafka.properties(),
        (message, context, timestamp) ->
            new ProducerRecord<>(message.topic(), message.key(), message.value()));
  }
}
