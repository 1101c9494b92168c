package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * The last step of the merge, one task: puts the parts of each window together. When the watermark
 * of all merging tasks has passed a window's end and lateness all of its parts are here, and its
 * result goes out. Windows end in the order of their ends, those with the same end in the order of
 * the analyses' names.
 *
 * <p>A window without groups gives no result.
 */
public final class WindowOperator extends AbstractStreamOperator<WindowResult>
    implements OneInputStreamOperator<Partial, WindowResult> {
  private static final long serialVersionUID = 1L;

  private final List<AnalysisConfig> analyses;
  private transient Map<Long, OpenWindows> windows;
  private transient ListState<Partial> state;
  private transient Counter results;
  private transient Counter unknownQuery;

  /** The last step for these analyses. */
  public WindowOperator(List<AnalysisConfig> analyses) {
    this.analyses = List.copyOf(analyses);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    results = metrics.counter("window_results");
    unknownQuery = metrics.counter("unknown_query_messages");
    windows = new TreeMap<>();
    LiveQuery.byId(analyses).forEach((id, live) -> windows.put(id, new OpenWindows(live)));
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("open-windows", new PartialSerializer()));
    for (Partial message : state.get()) {
      add(message);
    }
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    add(element.getValue());
  }

  private void add(Partial message) {
    if (message instanceof Partial.Part part) {
      OpenWindows of = find(part.queryId());
      if (of != null) {
        of.add(part);
      }
    } else if (message instanceof Partial.Counts counts) {
      OpenWindows of = find(counts.queryId());
      if (of != null) {
        of.add(counts);
      }
    } else {
      throw new IllegalStateException("groups do not come here: the merge keeps them");
    }
  }

  private OpenWindows find(long queryId) {
    OpenWindows of = windows.get(queryId);
    if (of == null) {
      unknownQuery.inc();
    }
    return of;
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    List<WindowResult> complete = new ArrayList<>();
    for (OpenWindows open : windows.values()) {
      open.closeUpTo(completeThrough, complete::add);
    }
    complete.sort(
        Comparator.comparingLong(WindowResult::windowEnd).thenComparing(WindowResult::analysis));
    for (WindowResult result : complete) {
      results.inc();
      output.collect(new StreamRecord<>(result, Math.floorDiv(result.windowEnd(), 1000)));
    }
    super.processWatermark(mark);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<Partial> messages = new ArrayList<>();
    windows.values().forEach(open -> messages.addAll(open.snapshot()));
    state.update(messages);
  }
}
