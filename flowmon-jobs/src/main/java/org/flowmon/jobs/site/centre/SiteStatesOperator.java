package org.flowmon.jobs.site.centre;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.MergeConfig;
import org.flowmon.jobs.lowlevel.AnalysesEvent;
import org.flowmon.jobs.lowlevel.AnalysisSetState;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.types.WatermarkTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the low level in a job that merges sites, in one task: makes messages to partial groups
 * of all live queries, and the sites' time to the watermark. Later operators notice no difference.
 * State: the sites', incomplete windows too, so each window is merged once, however often it is
 * sent.
 */
final class SiteStatesOperator extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<StatesRecord, Partial>, OperatorEventHandler {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(SiteStatesOperator.class);

  private final AnalysisSet analyses;
  private final MergeConfig merge;
  private final Duration arrivalAhead;
  private final int keyGroups;
  private transient AnalysisSetState analysesState;
  private transient ListState<byte[]> sitesState;
  private transient ListState<long[]> timesState;
  private transient SiteStates sites;
  private transient Map<String, List<LiveQuery>> queries;
  private transient StreamRecord<Partial> outgoing;
  private transient List<Partial> announcements;

  SiteStatesOperator(
      StreamOperatorParameters<Partial> parameters,
      AnalysisSet analyses,
      MergeConfig merge,
      Duration arrivalAhead,
      int keyGroups) {
    super(parameters);
    this.analyses = new AnalysisSet(analyses);
    this.merge = merge;
    this.arrivalAhead = arrivalAhead;
    this.keyGroups = keyGroups;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    outgoing = new StreamRecord<>(null);
    announcements = new ArrayList<>();
    sites =
        new SiteStates(
            merge.sites(),
            merge.timeout().toMillis(),
            arrivalAhead.toNanos() / 1000,
            merge.memory(),
            keyGroups,
            this::send,
            getMetricGroup().addGroup("flowmon"));
    analysesState = new AnalysisSetState(context.getOperatorStateStore());
    sitesState =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("sites", BytePrimitiveArraySerializer.INSTANCE));
    timesState =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("times", LongPrimitiveArraySerializer.INSTANCE));
    for (byte[] site : sitesState.get()) {
      sites.restore(MergedSite.read(site));
    }
    for (long[] times : timesState.get()) {
      sites.restore(times);
    }
    boolean isRestored = analysesState.restore(analyses).isPresent();
    queries = new HashMap<>();
    for (AnalysisConfig analysis : analyses.running()) {
      List<LiveQuery> all = LiveQuery.all(analysis);
      queries.put(analysis.name(), all);
      if (isRestored) {
        all.forEach(this::announceStart); // matters to those that are new since the checkpoint
      }
    }
    tellQueries();
  }

  private void tellQueries() {
    List<LiveQuery> all = new ArrayList<>();
    queries.values().forEach(all::addAll);
    sites.queries(all);
  }

  private void send(Partial partial) {
    outgoing.eraseTimestamp();
    output.collect(outgoing.replace(partial));
  }

  private void announceStart(LiveQuery live) {
    announcements.add(
        new Partial.Started(
            live.keyGroup(keyGroups),
            live.id(),
            analyses.version(live.analysis().name()),
            0,
            1,
            sites.firstWhole(live.window())));
  }

  private void announce() {
    if (!announcements.isEmpty()) {
      announcements.forEach(this::send);
      announcements.clear();
    }
  }

  @Override
  public void handleOperatorEvent(OperatorEvent event) {
    for (AnalysisChange change : ((AnalysesEvent) event).changes()) {
      apply(change);
    }
    tellQueries();
    announce();
  }

  private void apply(AnalysisChange change) {
    try {
      if (!analyses.apply(change)) {
        return;
      }
    } catch (ConfigException e) {
      LOG.error(
          "analysis {}: a change is not valid and is ignored: {}", change.name(), e.getMessage());
      return;
    }
    for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
      announcements.add(new Partial.Definition(keyGroup, change));
    }
    AnalysisConfig analysis = analyses.get(change.name());
    if (analysis == null) {
      queries.remove(change.name());
      return;
    }
    List<LiveQuery> all = LiveQuery.all(analysis);
    queries.put(change.name(), all);
    all.forEach(this::announceStart);
  }

  @Override
  public void processElement(StreamRecord<StatesRecord> element) {
    announce();
    StatesRecord record = element.getValue();
    if (sites.take(record.time(), record.bytes())) {
      output.emitWatermark(new Watermark(WatermarkTime.watermark(sites.through() + 1, 0)));
    }
  }

  /** Takes the end of input alone: the source has no other watermarks. */
  @Override
  public void processWatermark(Watermark mark) {
    if (mark.getTimestamp() == Watermark.MAX_WATERMARK.getTimestamp()) {
      announce();
      sites.end();
      output.emitWatermark(mark);
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    announce();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    Map<String, Long> ids = new HashMap<>();
    queries.forEach((name, all) -> ids.put(name, all.get(0).id()));
    analysesState.update(analyses, ids);
    List<byte[]> all = new ArrayList<>();
    sites.sites().forEach(site -> all.add(site.toBytes()));
    sitesState.update(all);
    timesState.update(List.of(sites.times()));
  }
}
