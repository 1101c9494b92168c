package org.flowmon.jobs.alert;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.Confidence;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Runs the operator of alerts on reports of windows of ten seconds. */
final class AlertRun implements AutoCloseable {
  static final long SECOND = 1_000_000L;
  static final long SLIDE = 10 * SECOND;

  /** The end of window 0: 2026-11-21T10:00:00Z. */
  static final long BEGIN = 1_795_255_200L * SECOND;

  private final TwoInputStreamOperatorTestHarness<Report, String, Alert> harness;
  private final List<Alert> sent;

  private AlertRun(List<Alert> sent, OperatorSubtaskState state, List<AnalysisConfig> analyses)
      throws Exception {
    this.sent = sent;
    harness = new TwoInputStreamOperatorTestHarness<>(new AlertOperator(analyses), 1, 1, 0);
    harness.setup(new AlertSerializer());
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
  }

  static AlertRun start(AnalysisConfig... analyses) throws Exception {
    return new AlertRun(new ArrayList<>(), null, List.of(analyses));
  }

  /** Restores from a checkpoint, possibly with other analyses, without the messages sent before. */
  static AlertRun restore(AlertRun other, OperatorSubtaskState state, AnalysisConfig... analyses)
      throws Exception {
    return new AlertRun(new ArrayList<>(other.sent()), state, List.of(analyses));
  }

  /** Returns an analysis of windows of ten seconds whose reports have src_addr and bytes. */
  static AnalysisConfig analysis(String lateness, String alerts) {
    return AnalysisConfig.parse("talkers.yaml", text(lateness, alerts));
  }

  /** Returns its file. */
  static String text(String lateness, String alerts) {
    return """
    name: talkers
    live:
      query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
      window: 10s
      lateness: %s
    report: {logic: live}
    alerts:
    %s
    """
        .formatted(lateness, alerts.indent(2));
  }

  /** Announces the definition of the analysis; empty: it is removed. */
  void announce(String definition, int window) throws Exception {
    add(
        new Report(
            "talkers",
            definition,
            end(window),
            end(window),
            window + 1, // the version of the change
            List.of(),
            new ResultTable.Builder().build(),
            report(window, 3).confidence(),
            List.of()));
  }

  /** Returns the end of a window. */
  static long end(int window) {
    return BEGIN + window * SLIDE;
  }

  /** Returns a report; rows are pairs of the last byte of an address and bytes. */
  static Report report(int window, int revision, int... rows) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG);
    for (int i = 0; i < rows.length; i += 2) {
      IpAddress address = IpAddress.ofIpv4(0x0A000000 + rows[i]);
      table.row().set(0, address.hi(), address.lo()).set(1, rows[i + 1]);
    }
    return new Report(
        "talkers",
        null,
        end(window - 1),
        end(window),
        revision,
        List.of(ReportColumn.key("src_addr", ValueKind.ADDRESS), ReportColumn.sum("bytes")),
        table.build(),
        new Confidence(
            HistoryStatus.NONE,
            0,
            0,
            0,
            end(window),
            end(window),
            0,
            WindowResult.UNKNOWN_GROUPS,
            new ArrivalCounts(0, 0, 0, 0),
            null),
        List.of());
  }

  /** Returns a report of a window without groups, with its late and lost flows. */
  static Report withoutGroups(int window) {
    Report report = report(window, 3);
    Confidence confidence =
        new Confidence(
            HistoryStatus.NONE,
            0,
            0,
            0,
            end(window),
            end(window),
            0,
            0,
            new ArrivalCounts(5, 5, 0, 7),
            null);
    return new Report(
        report.analysis(),
        null,
        report.windowStart(),
        report.windowEnd(),
        report.revision(),
        report.columns(),
        report.rows(),
        confidence,
        List.of());
  }

  void add(Report report) throws Exception {
    harness.processElement1(report, report.windowEnd() / 1000);
  }

  /** Advances the watermark: all flows up to this arrival have been seen. */
  void complete(long through) throws Exception {
    harness.processWatermark1(new Watermark(through / 1000));
  }

  void completeWindow(int window) throws Exception {
    complete(end(window));
  }

  /** Resolves an alert by hand. */
  void resolve(String id) throws Exception {
    harness.processElement2(new StreamRecord<>(id));
  }

  OperatorSubtaskState snapshot(long checkpoint) throws Exception {
    return harness.snapshot(checkpoint, checkpoint);
  }

  void checkpointCompleted(long checkpoint) throws Exception {
    harness.notifyOfCompletedCheckpoint(checkpoint);
  }

  void end() throws Exception {
    harness.processWatermark1(Watermark.MAX_WATERMARK);
    harness.endInput1();
  }

  /** Ends the input of manual resolves. */
  void endResolves() throws Exception {
    harness.endInput2();
  }

  /** Returns the sent alerts, in order. */
  List<Alert> sent() {
    sent.addAll(harness.extractOutputValues());
    harness.getOutput().clear();
    return sent;
  }

  /**
   * Returns the sent alerts as lines: key, number, state, first window, window, last window that
   * held.
   */
  List<String> lines() {
    return sent().stream().map(AlertRun::line).toList();
  }

  static String line(Alert alert) {
    return alert.key()
        + " "
        + alert.number()
        + " "
        + alert.state().text()
        + " since "
        + window(alert.since())
        + " at "
        + window(alert.windowEnd())
        + " held "
        + window(alert.lastHeld())
        + (alert.cause() == Alert.Cause.RULE_CHANGED ? " changed" : "")
        + (alert.cause() == Alert.Cause.BY_HAND ? " by hand" : "");
  }

  private static long window(long end) {
    return (end - BEGIN) / SLIDE;
  }

  @Override
  public void close() throws Exception {
    harness.close();
  }

  /** Takes a checkpoint to its end. */
  void checkpoint(long number) throws Exception {
    var unused = snapshot(number);
    checkpointCompleted(number);
  }
}
