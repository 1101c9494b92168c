package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.table.PartialGroups;
import org.flowmon.udaf.table.WindowPart;
import org.flowmon.udaf.table.WindowTables;

/**
 * The high level: merges the partial groups of all analyses, by key group, and at the end of each
 * window sends on what its key groups have of it, merged to one part per task.
 *
 * <p>The tables are this operator's own, written per key group as raw keyed state: a state backend
 * would serialise, or copy during a snapshot, a whole table for each message.
 */
public final class MergeOperator extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<Partial, Partial> {
  private static final long serialVersionUID = 1L;

  private final List<AnalysisConfig> analyses;
  private transient Map<Long, LiveQuery> queries;
  private transient KeyGroupRange range;
  private transient KeyGroupState[] keyGroups;
  private transient Counter messages;
  private transient Counter behindWatermark;
  private transient Counter unknownQuery;

  /** The high level for these analyses. */
  public MergeOperator(List<AnalysisConfig> analyses) {
    this.analyses = List.copyOf(analyses);
  }

  @Override
  protected boolean isUsingCustomRawKeyedState() {
    return true;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    queries = LiveQuery.byId(analyses);
    range =
        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
            getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks(),
            getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks(),
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
    keyGroups = new KeyGroupState[range.getNumberOfKeyGroups()];
    for (int i = 0; i < keyGroups.length; i++) {
      keyGroups[i] = new KeyGroupState();
    }
    Set<Long> dropped = new HashSet<>();
    for (KeyGroupStatePartitionStreamProvider state : context.getRawKeyedStateInputs()) {
      of(state.getKeyGroupId()).read(state.getStream(), queries, dropped::add);
    }
    if (!dropped.isEmpty()) {
      LOG.warn(
          "The state holds open windows of {} analyses that are not running, or not with this"
              + " definition, any more; they are left out",
          dropped.size());
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    messages = metrics.counter("partial_messages");
    behindWatermark = metrics.counter("behind_watermark_messages");
    unknownQuery = metrics.counter("unknown_query_messages");
    metrics.gauge("groups", this::groups);
  }

  private long groups() {
    long groups = 0;
    for (KeyGroupState keyGroup : keyGroups) {
      groups += keyGroup.groups();
    }
    return groups;
  }

  private KeyGroupState of(int keyGroup) {
    return keyGroups[keyGroup - range.getStartKeyGroup()];
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    if (!(element.getValue() instanceof Partial.Groups message)) {
      output.collect(element);
      return;
    }
    messages.inc();
    PartialGroups groups = PartialGroups.open(message.bytes());
    LiveQuery live = queries.get(groups.queryId());
    if (live == null) {
      unknownQuery.inc();
    } else if (!of(message.keyGroup()).of(live).merge(groups)) {
      behindWatermark.inc();
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    Map<Long, Map<Long, WindowPart>> closed = new HashMap<>();
    for (KeyGroupState keyGroup : keyGroups) {
      for (Map.Entry<Long, WindowTables> query : keyGroup.byQuery().entrySet()) {
        query.getValue().closeUpTo(completeThrough, part -> collect(closed, query.getKey(), part));
      }
    }
    closed.forEach(
        (queryId, parts) ->
            parts
                .values()
                .forEach(
                    part ->
                        output.collect(
                            new StreamRecord<>(new Partial.Part(queryId, part.toBytes())))));
    super.processWatermark(mark);
  }

  private static void collect(
      Map<Long, Map<Long, WindowPart>> closed, long queryId, WindowPart part) {
    Map<Long, WindowPart> windows = closed.computeIfAbsent(queryId, id -> new TreeMap<>());
    WindowPart first = windows.putIfAbsent(part.windowEnd(), part);
    if (first != null) {
      first.merge(part);
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    KeyedStateCheckpointOutputStream stream = context.getRawKeyedOperatorStateOutput();
    for (int keyGroup : stream.getKeyGroupList()) {
      stream.startNewKeyGroup(keyGroup);
      of(keyGroup).write(stream);
    }
  }
}
