package org.flowmon.jobs.alert;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.sink.ReportMessage;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/**
 * The alert operators of the job, in one task so that the messages of an alert keep their order:
 *
 * <pre>
 *   report ─────────┬─► alerts ──┬─► alert-messages ──► kafka-alerts     topic flowmon.alerts
 *   alert-resolves ─┘            ├─► webhook-alerts
 *                                └─► postgres-alerts                     in the job with a database
 * </pre>
 */
public final class Alerts {
  private Alerts() {}

  /** The alerts of reports, without those resolved by hand. */
  public static SingleOutputStreamOperator<Alert> of(
      DataStream<Report> reports, JobConfig config, List<AnalysisConfig> analyses) {
    DataStream<String> resolves =
        reports
            .getExecutionEnvironment()
            .fromSource(
                AlertResolves.source(config),
                WatermarkStrategy.noWatermarks(),
                "alert-resolves",
                Types.STRING)
            .uid("alert-resolves")
            .setParallelism(1);
    return reports
        .global()
        .connect(resolves)
        .transform("alerts", Alert.TYPE, new AlertOperator(analyses))
        .uid("alerts")
        .setParallelism(1);
  }

  public static void send(DataStream<Alert> alerts, JobConfig config) {
    alerts
        .filter(alert -> alert.sinks().contains(AlertConfig.KAFKA))
        .name("alert-choice")
        .uid("alert-choice")
        .setParallelism(1)
        .map(Alerts::message)
        .returns(ReportMessage.TYPE)
        .name("alert-messages")
        .uid("alert-messages")
        .setParallelism(1)
        .sinkTo(KafkaReports.sink(config.kafka()))
        .name("kafka-alerts")
        .uid("kafka-alerts")
        .setParallelism(1);
    if (!config.webhooks().isEmpty()) {
      alerts
          .sinkTo(new WebhookAlerts(config.webhooks()))
          .name("webhook-alerts")
          .uid("webhook-alerts")
          .setParallelism(1);
    }
  }

  private static ReportMessage message(Alert alert) {
    return new ReportMessage(
        KafkaReports.ALERTS_TOPIC,
        alert.id().getBytes(StandardCharsets.UTF_8),
        AlertJson.of(alert));
  }
}
