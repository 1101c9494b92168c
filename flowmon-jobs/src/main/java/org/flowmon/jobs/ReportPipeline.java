package org.flowmon.jobs;

import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.alert.AlertResolves;
import org.flowmon.jobs.alert.AlertRules;
import org.flowmon.jobs.alert.Alerts;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.history.HistoryOperator;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportFunction;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.jobs.sink.kafka.KafkaStates;
import org.flowmon.jobs.sink.postgres.PostgresAlerts;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.topic.KafkaTopics;
import org.flowmon.jobs.window.WindowOperator;

/** From the results of windows to reports with history, in Kafka, PostgreSQL and alerts. */
public final class ReportPipeline {
  private ReportPipeline() {}

  public static void reports(
      SingleOutputStreamOperator<WindowResult> windows,
      JobConfig config,
      List<AnalysisConfig> analyses,
      FlowTopic topic) {
    if (config.site() != null) {
      KafkaStates.publish(windows.getSideOutput(WindowOperator.STATES), config.site());
    }
    HistoryOperator.Settings history =
        new HistoryOperator.Settings(
            config.archive() == null ? List.of() : List.of(config.archive()),
            analyses,
            config.job().historyDelay(),
            topic,
            config.job().disorderBound(),
            HistoryOperator.Pace.LIVE,
            config.enrichment());
    DataStream<Report> reports =
        reports(
                history(windows, history).setParallelism(config.job().reportTasks()),
                history,
                config.merge() == null)
            .setParallelism(config.job().reportTasks());
    for (AnalysisConfig analysis : analyses) {
      AlertRules.check(analysis);
      AlertRules.checkSinks(analysis, config);
    }
    KafkaReports.createTopics(config.kafka(), analyses);
    KafkaTopics.createIfMissing(config.kafka().clientProperties(), List.of(AlertResolves.TOPIC));
    KafkaReports.messages(reports, analyses)
        .name("kafka-messages")
        .uid("kafka-messages")
        .sinkTo(KafkaReports.sink(config.kafka()))
        .name("kafka-reports")
        .uid("kafka-reports");
    if (config.postgres() != null) {
      PostgresReports.chosen(reports, analyses)
          .name("postgres-choice")
          .uid("postgres-choice")
          .keyBy(Report::analysis)
          .sinkTo(new PostgresReports(config.postgres(), analyses))
          .name("postgres-reports")
          .uid("postgres-reports");
    }
    DataStream<Alert> alerts = Alerts.of(reports, config, analyses);
    Alerts.send(alerts, config);
    if (config.postgres() != null) {
      alerts
          .sinkTo(new PostgresAlerts(config.postgres()))
          .name("postgres-alerts")
          .uid("postgres-alerts")
          .setParallelism(1);
    }
  }

  public static SingleOutputStreamOperator<Report> reports(
      DataStream<WindowResult> windows, HistoryOperator.Settings history) {
    return reports(history(windows, history), history, true);
  }

  private static SingleOutputStreamOperator<WindowHistory> history(
      DataStream<WindowResult> windows, HistoryOperator.Settings settings) {
    return HistoryOperator.apply(windows, settings.with(ReportLogics::seen));
  }

  private static SingleOutputStreamOperator<Report> reports(
      SingleOutputStreamOperator<WindowHistory> windows,
      HistoryOperator.Settings settings,
      boolean hasFlows) {
    ReportFunction function =
        new ReportFunction(settings.analyses(), hasFlows, settings.enrichment());
    return windows
        .name("history")
        .uid("history")
        .process(
            settings.pace() == HistoryOperator.Pace.REPLAY ? function.endingOnFailure() : function,
            Report.TYPE)
        .name("report")
        .uid("report");
  }
}
