package org.flowmon.jobs.alert;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * Judges reports by the rules of their analyses, in one task, in the order of windows' ends
 * whatever the order of reports.
 *
 * <p>A decision is sent once a checkpoint holds it. A restart before that decides anew, perhaps
 * otherwise if a report's history has changed; a restart after it sends the same messages again. So
 * no sent message is taken back, and messages are late by a checkpoint interval at most. The end of
 * input sends the rest.
 *
 * <p>Announcements of started, changed and stopped analyses come again after each start, before the
 * first watermark. A stopped analysis's alerts are resolved. So is, at once, one that a person
 * resolves ({@link AlertResolves}); its key begins anew with the next window. Metrics in group
 * {@code flowmon}: those of {@link AlertCounters}, {@code followed_keys}, {@code firing_alerts},
 * {@code waiting_alerts}.
 */
public final class AlertOperator extends AbstractStreamOperator<Alert>
    implements TwoInputStreamOperator<Report, String, Alert>, BoundedMultiInput {
  private static final long serialVersionUID = 1L;

  // Without an announcement in this run, an analysis is that of the start.
  private final AnalysisSet analyses;
  private transient AlertCounters counters;
  private transient TreeMap<String, AnalysisAlerts> byName;
  private transient ListState<AlertState> state;
  private transient ListState<Alert> decidedState;
  // Messages that no complete checkpoint is known to hold, in their order.
  private transient Deque<Alert> decided;
  private transient long sent;
  private transient boolean reportsEnded;
  // By checkpoint: the number of messages of this run that it holds or that were sent before it.
  private transient TreeMap<Long, Long> held;

  public AlertOperator(List<AnalysisConfig> analyses) {
    this.analyses = new AnalysisSet(analyses);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    counters = AlertCounters.of(metrics);
    byName = new TreeMap<>();
    decided = new ArrayDeque<>();
    held = new TreeMap<>();
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("alerts", new AlertState.Serializer()));
    for (AlertState one : state.get()) {
      byName.put(one.analysis(), AnalysisAlerts.of(one.bytes(), counters));
    }
    decidedState =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("decided-alerts", new AlertSerializer()));
    for (Alert alert : decidedState.get()) {
      decided.add(alert);
    }
    // The checkpoint that this is restored from is complete.
    held.put(Long.MIN_VALUE, (long) decided.size());
    metrics.gauge("followed_keys", () -> followedKeys);
    metrics.gauge("firing_alerts", () -> firingAlerts);
    metrics.gauge("waiting_alerts", () -> waitingAlerts);
  }

  // For metrics, which another thread reads.
  private transient volatile long followedKeys;
  private transient volatile long firingAlerts;
  private transient volatile long waitingAlerts;

  @Override
  public void processElement1(StreamRecord<Report> element) {
    Report report = element.getValue();
    if (report.isAnnouncement()) {
      learn(report);
    } else if (hasAlerts(report.analysis())) {
      byName.computeIfAbsent(report.analysis(), name -> new AnalysisAlerts(counters)).add(report);
    }
  }

  @Override
  public void processElement2(StreamRecord<String> element) {
    String id = element.getValue();
    if (byName.values().stream().noneMatch(alerts -> alerts.resolve(id, decided::add))) {
      counters.unknownResolves().inc();
    }
  }

  private boolean hasAlerts(String analysis) {
    AnalysisConfig config = analyses.get(analysis);
    return config != null && !config.alerts().isEmpty();
  }

  private void learn(Report announcement) {
    String name = announcement.analysis();
    String definition = Objects.requireNonNull(announcement.definition(), "no definition");
    String text = definition.isEmpty() ? null : definition;
    long version = announcement.revision();
    try {
      var unused = analyses.apply(new AnalysisChange(name, version, text));
    } catch (ConfigException e) {
      // The restored definition was valid in another version; the job must run without it.
      counters.unfit(name, "the definition", e);
      analyses.remove(name, version);
    }
  }

  @Override
  public void processWatermark1(Watermark mark) throws Exception {
    processWatermark(mark);
  }

  /** Ignored: manual resolves have no event time. */
  @Override
  public void processWatermark2(Watermark mark) {
    // the reports alone set the windows
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    if (completeThrough > Long.MIN_VALUE) {
      configure(completeThrough);
      for (AnalysisAlerts alerts : byName.values()) {
        if (completeThrough == Long.MAX_VALUE) {
          alerts.judgeAtEnd(decided::add);
        } else {
          alerts.judgeUpTo(completeThrough, decided::add);
        }
      }
      sendThrough(Long.MIN_VALUE); // the messages of a restored checkpoint
      followedKeys = byName.values().stream().mapToLong(AnalysisAlerts::keys).sum();
      firingAlerts = byName.values().stream().mapToLong(AnalysisAlerts::firing).sum();
    }
    super.processWatermark(mark);
  }

  private void configure(long completeThrough) {
    for (AnalysisConfig analysis : analyses.running()) {
      if (!analysis.alerts().isEmpty()) {
        byName
            .computeIfAbsent(analysis.name(), name -> new AnalysisAlerts(counters))
            .configure(analysis, completeThrough, decided::add);
      }
    }
    byName
        .entrySet()
        .removeIf(
            one -> {
              boolean gone = !hasAlerts(one.getKey());
              if (gone) {
                one.getValue().end(decided::add);
              }
              return gone;
            });
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<AlertState> states = new ArrayList<>();
    for (Map.Entry<String, AnalysisAlerts> one : byName.entrySet()) {
      states.add(new AlertState(one.getKey(), one.getValue().toBytes()));
    }
    state.update(states);
    decidedState.update(List.copyOf(decided));
    held.put(context.getCheckpointId(), sent + decided.size());
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    sendThrough(checkpointId);
  }

  private void sendThrough(long checkpointId) {
    Map.Entry<Long, Long> last = held.floorEntry(checkpointId);
    if (last != null) {
      send(last.getValue());
      held.headMap(checkpointId, true).clear();
    }
    waitingAlerts = decided.size();
  }

  private void send(long through) {
    while (sent < through && !decided.isEmpty()) {
      Alert alert = decided.remove();
      sent++;
      output.collect(new StreamRecord<>(alert, Math.floorDiv(alert.windowEnd(), 1000)));
    }
  }

  @Override
  public void endInput(int input) {
    reportsEnded |= input == 1;
    if (reportsEnded) {
      send(Long.MAX_VALUE);
      waitingAlerts = 0;
    }
  }
}
