package org.flowmon.jobs.merge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
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
 * of all merging tasks has passed a window's end all of its parts are here, and its result goes
 * out; where flows may be late it is revised when more have come, at most once a slide, and for the
 * last time when the watermark has passed the end and the lateness. Results of one watermark go out
 * in the order of their windows' ends, those with the same end in the order of the analyses' names.
 *
 * <p>A window without groups gives no result. Parts that come when the last one has gone out, as a
 * source broke the disorder bound and then the job was restored, are left out and counted. The end
 * of input closes what is open: a job that is restored from a savepoint drained so reports the
 * windows that did not go out then. An analysis that failed at run time, here or before, gives no
 * more results, also when the job is restored from then on: flows of its open windows are missing.
 */
public final class WindowOperator extends AbstractStreamOperator<WindowResult>
    implements OneInputStreamOperator<Partial, WindowResult> {
  private static final long serialVersionUID = 1L;

  private final List<AnalysisConfig> analyses;
  private transient Map<Long, OpenWindows> windows;
  private transient ListState<Partial> state;
  private transient Counter results;
  private transient Counter finalResults;
  private transient Counter unknownQuery;
  private transient Counter behindWatermark;
  private transient StoppedQueries stopped;
  private transient ListState<Long> closedThroughState;
  private transient ListState<long[]> closedEarlyState;
  private transient ListState<long[]> publishedState;
  private transient long closedThrough;

  /** The last step for these analyses. */
  public WindowOperator(List<AnalysisConfig> analyses) {
    this.analyses = List.copyOf(analyses);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    results = metrics.counter("window_results");
    Counter revisions = metrics.counter("revised_results");
    finalResults = metrics.counter("final_results");
    unknownQuery = metrics.counter("unknown_query_messages");
    behindWatermark = metrics.counter("behind_watermark_parts");
    stopped = new StoppedQueries("windows");
    metrics.gauge("stopped_analyses", stopped::size);
    closedThroughState =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("closed-through", LongSerializer.INSTANCE));
    closedThrough = Long.MIN_VALUE;
    for (long through : closedThroughState.get()) {
      closedThrough = Math.max(closedThrough, through);
    }
    windows = new TreeMap<>();
    LiveQuery.byId(analyses)
        .forEach((id, live) -> windows.put(id, new OpenWindows(live, revisions)));
    closedEarlyState =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("closed-early", LongPrimitiveArraySerializer.INSTANCE));
    for (long[] queryAndEnd : closedEarlyState.get()) {
      OpenWindows open = windows.get(queryAndEnd[0]);
      if (open != null) {
        open.closedEarly(queryAndEnd[1]);
      }
    }
    publishedState =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    "published-through", LongPrimitiveArraySerializer.INSTANCE));
    for (long[] entry : publishedState.get()) {
      OpenWindows open = windows.get(entry[0]);
      if (open != null) {
        open.published(entry[1], entry[2]);
      }
    }
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("open-windows", new PartialSerializer()));
    for (Partial message : state.get()) {
      add(message);
    }
    for (long id : stopped.ids()) {
      LOG.warn(
          "analysis {} had been stopped by an error and stays so, as flows of its windows are"
              + " missing; another definition of it, or a start without this state, runs anew",
          windows.get(id).live().analysis().name());
    }
  }

  /** Parts that were left out, as the result of their window had gone out. */
  long behindWatermark() {
    return behindWatermark.getCount();
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    add(element.getValue());
  }

  private void add(Partial message) {
    if (message instanceof Partial.Part part) {
      withQuery(part.queryId(), open -> count(open.add(part, closedThrough)));
    } else if (message instanceof Partial.Update update) {
      withQuery(update.queryId(), open -> count(open.add(update, closedThrough)));
    } else if (message instanceof Partial.Counts counts) {
      withQuery(counts.queryId(), open -> open.add(counts));
    } else if (message instanceof Partial.Stopped of) {
      withQuery(of.queryId(), open -> stopped.add(of.queryId()));
    } else {
      throw new IllegalStateException("groups do not come here: the merge keeps them");
    }
  }

  private void count(boolean taken) {
    if (!taken) {
      behindWatermark.inc();
    }
  }

  /** Does some work for a query; one that fails is stopped, and no other with it. */
  private void withQuery(long queryId, Consumer<OpenWindows> work) {
    OpenWindows open = windows.get(queryId);
    if (open == null) {
      unknownQuery.inc();
      return;
    }
    if (!stopped.contains(queryId)) {
      try {
        work.accept(open);
      } catch (RuntimeException e) {
        stopped.add(open.live(), e);
      }
    }
    if (stopped.contains(queryId)) {
      open.clear();
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    List<WindowResult> complete = new ArrayList<>();
    if (completeThrough == Long.MAX_VALUE) {
      windows.keySet().forEach(id -> withQuery(id, open -> open.closeAtEnd(complete::add)));
    } else {
      windows
          .keySet()
          .forEach(id -> withQuery(id, open -> open.closeUpTo(completeThrough, complete::add)));
      closedThrough = Math.max(closedThrough, completeThrough);
    }
    complete.sort(
        Comparator.comparingLong(WindowResult::windowEnd).thenComparing(WindowResult::analysis));
    for (WindowResult result : complete) {
      results.inc();
      finalResults.inc(result.isFinal() ? 1 : 0);
      output.collect(new StreamRecord<>(result, Math.floorDiv(result.windowEnd(), 1000)));
    }
    super.processWatermark(mark);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<Partial> messages = new ArrayList<>();
    windows.values().forEach(open -> messages.addAll(open.snapshot()));
    stopped.ids().forEach(id -> messages.add(new Partial.Stopped(0, id)));
    state.update(messages);
    closedThroughState.update(List.of(closedThrough));
    List<long[]> closedEarly = new ArrayList<>();
    windows.forEach(
        (id, open) -> open.closedEarly().forEach(end -> closedEarly.add(new long[] {id, end})));
    closedEarlyState.update(closedEarly);
    List<long[]> published = new ArrayList<>();
    windows.forEach(
        (id, open) ->
            open.published()
                .forEach((end, through) -> published.add(new long[] {id, end, through})));
    publishedState.update(published);
  }
}
