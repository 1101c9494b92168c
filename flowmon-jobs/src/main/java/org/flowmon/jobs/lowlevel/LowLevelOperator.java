package org.flowmon.jobs.lowlevel;

import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.pane.WindowSpec;
import org.jspecify.annotations.Nullable;

/**
 * The low level: hosts all analyses' live queries, with tables of fixed size, next to the source.
 * Shared filters, keys and computed values are evaluated once. Queries with equal filters, keys and
 * panes share a table.
 *
 * <p>A watermark that closes panes is held back until all their groups are out. They leave lazily,
 * some slots with each batch, or by the task's mailbox without one, so closing a window stops the
 * source no longer than a batch. Before a barrier everything is sent, open panes too: the state is
 * the running queries and the flows' lateness.
 *
 * <p>An {@link AnalysesEvent} starts, changes and stops analyses between batches; the others go on.
 * A new one gets the flows from then on, and announces from when it has seen all ({@link
 * Partial.Started}).
 */
final class LowLevelOperator extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<PositionedBatch, Partial>, OperatorEventHandler {
  private static final long serialVersionUID = 1L;

  /** Slots looked at with each batch: a full table is drained within some 16 batches. */
  static final int DRAIN_SLOTS = 1024;

  private final AnalysisSet analyses;
  private final int maxParallelism;
  private final Duration arrivalAhead;
  private final transient MailboxExecutor mailbox;
  private transient LowLevel level;
  private transient SharedEnrichment enrichment;
  private transient HostedQueries queries;
  private transient AnalysisSetState state;
  private transient ListState<Long> latestState;
  private transient boolean restored;
  private transient long latest;
  private transient StreamRecord<Partial> outgoing;
  private transient @Nullable Watermark held;
  private transient boolean drainIsScheduled;

  LowLevelOperator(
      StreamOperatorParameters<Partial> parameters,
      AnalysisSet analyses,
      int maxParallelism,
      Duration arrivalAhead) {
    super(parameters);
    this.analyses = new AnalysisSet(analyses);
    this.maxParallelism = maxParallelism;
    this.arrivalAhead = arrivalAhead;
    this.mailbox = parameters.getMailboxExecutor();
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state = new AnalysisSetState(context.getOperatorStateStore());
    latestState =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("latest-time", LongSerializer.INSTANCE));
    restored = context.isRestored();
    latest = Long.MIN_VALUE;
    for (long time : latestState.get()) {
      latest = Math.max(latest, Math.min(time, latestByClock()));
    }
    var unused = state.restore(analyses);
  }

  @Override
  public void open() throws Exception {
    super.open();
    outgoing = new StreamRecord<>(null);
    level = new LowLevel();
    enrichment = SharedEnrichment.acquire(analyses.enrichment());
    queries =
        new HostedQueries(
            level,
            analyses,
            enrichment,
            restored,
            latest,
            maxParallelism,
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks(),
            this::send,
            getMetricGroup().addGroup("flowmon"));
  }

  @Override
  public void handleOperatorEvent(OperatorEvent event) {
    for (AnalysisChange change : ((AnalysesEvent) event).changes()) {
      queries.apply(change, latest);
    }
    queries.announce();
    if (held != null) {
      drainSome(); // it may have waited for a removed query
    }
  }

  private void send(Partial partial) {
    outgoing.eraseTimestamp();
    output.collect(outgoing.replace(partial));
  }

  @Override
  public void processElement(StreamRecord<PositionedBatch> element) {
    queries.announce();
    level.process(element.getValue().batch());
    queries.processed(element.getValue());
    noteTimes(element.getValue().batch());
    if (held != null) {
      drainSome();
    }
  }

  /**
   * The latest time of any flow taken by now. A state from before arrivals were bounded may hold
   * any time, and no analysis would begin until then.
   */
  private long latestByClock() {
    long ahead = arrivalAhead.toNanos() / 1000 + WindowSpec.DEFAULT_AHEAD_MICROS;
    return System.currentTimeMillis() * 1000 + ahead;
  }

  /**
   * A flow whose time is further after its arrival is in no window. Its arrival counts even if
   * after its message was sent: if a collector's clock runs ahead, windows of that time have flows
   * that a new analysis is not given.
   */
  private void noteTimes(FlowBatch batch) {
    long arrival = batch.maxArrival();
    if (batch.rows() > 0 && WindowSpec.isTime(arrival)) {
      long end = Math.min(batch.maxEndTime(), arrival + WindowSpec.DEFAULT_AHEAD_MICROS);
      latest = Math.max(latest, Math.max(arrival, end));
    }
  }

  @Override
  public void processWatermark(Watermark mark) {
    queries.announce();
    // If time runs fast, as in a backlog, each watermark would overtake the one before, and windows
    // would stay open behind all.
    while (held != null) {
      drainSome();
    }
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    level.closePanesUpTo(completeThrough);
    queries.closed(completeThrough);
    held = mark;
    if (level.isDrained()) {
      forwardHeld();
    } else {
      scheduleDrain();
    }
  }

  /** Looks at some slots for closed panes' groups; after the last, forwards the watermark. */
  private void drainSome() {
    level.drainSome(DRAIN_SLOTS);
    queries.drained();
    if (level.isDrained()) {
      forwardHeld();
    }
  }

  private void scheduleDrain() {
    if (!drainIsScheduled) {
      drainIsScheduled = true;
      mailbox.execute(this::drainByMail, "drain closed panes");
    }
  }

  private void drainByMail() {
    drainIsScheduled = false;
    if (held != null) {
      drainSome();
    }
    if (held != null) {
      scheduleDrain();
    }
  }

  private void forwardHeld() {
    Watermark mark = held;
    held = null;
    if (mark != null) {
      output.emitWatermark(mark);
    }
  }

  private void drainAll() {
    level.drainAll();
    queries.drainedAll();
    forwardHeld();
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    queries.announce();
    drainAll();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(queries.set(), queries.ids());
    latestState.update(List.of(latest));
  }

  @Override
  public void finish() throws Exception {
    queries.announce();
    drainAll();
    super.finish();
  }

  @Override
  public void close() throws Exception {
    if (enrichment != null) {
      enrichment.close();
    }
    super.close();
  }
}
