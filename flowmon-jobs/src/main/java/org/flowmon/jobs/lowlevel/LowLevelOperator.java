package org.flowmon.jobs.lowlevel;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * The low level: hosts the live queries of all analyses, each with a table of fixed size, next to
 * the source.
 *
 * <p>Order of time: a watermark that closes panes is held back until all of their groups are out.
 * They leave lazily, some slots with each batch and, when no batch comes, by the task's mailbox, so
 * that closing a window stops the source no longer than a batch does. Before a barrier everything
 * is sent, open panes too: this operator has no state.
 */
final class LowLevelOperator extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<PositionedBatch, Partial> {
  private static final long serialVersionUID = 1L;

  /** Slots that are looked at with each batch: a full table is drained within some 16 batches. */
  static final int DRAIN_SLOTS = 1024;

  private final List<AnalysisConfig> analyses;
  private final int maxParallelism;
  private final transient MailboxExecutor mailbox;
  private transient List<HostedQuery> queries;
  private transient StreamRecord<Partial> outgoing;
  private transient Watermark held;
  private transient boolean drainIsScheduled;

  LowLevelOperator(
      StreamOperatorParameters<Partial> parameters,
      List<AnalysisConfig> analyses,
      int maxParallelism) {
    super(parameters);
    this.analyses = analyses;
    this.maxParallelism = maxParallelism;
    this.mailbox = parameters.getMailboxExecutor();
  }

  @Override
  public void open() throws Exception {
    super.open();
    outgoing = new StreamRecord<>(null);
    queries = new ArrayList<>();
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    for (AnalysisConfig analysis : analyses) {
      queries.add(
          new HostedQuery(
              LiveQuery.of(analysis),
              maxParallelism,
              this::send,
              metrics.addGroup("analysis", analysis.name())));
    }
  }

  private void send(Partial partial) {
    outgoing.eraseTimestamp();
    output.collect(outgoing.replace(partial));
  }

  @Override
  public void processElement(StreamRecord<PositionedBatch> element) {
    for (HostedQuery query : queries) {
      query.process(element.getValue());
    }
    if (held != null) {
      drainSome();
    }
  }

  @Override
  public void processWatermark(Watermark mark) {
    if (held != null) {
      // Where time runs fast, as when a backlog is read, each watermark would overtake the one
      // before it, and windows would stay open behind them all.
      drainHeld();
    }
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    for (HostedQuery query : queries) {
      query.closePanesUpTo(completeThrough);
    }
    held = mark;
    if (queries.stream().allMatch(HostedQuery::isDrained)) {
      forwardHeld();
    } else {
      scheduleDrain();
    }
  }

  /** Sends all groups of closed panes, and the watermark that waits for them. */
  private void drainHeld() {
    for (HostedQuery query : queries) {
      while (!query.drainSome(DRAIN_SLOTS)) {
        // some slots at a time, until all were looked at
      }
    }
    forwardHeld();
  }

  private void drainSome() {
    boolean drained = true;
    for (HostedQuery query : queries) {
      drained &= query.drainSome(DRAIN_SLOTS);
    }
    if (drained) {
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
    for (HostedQuery query : queries) {
      query.drainAll();
    }
    forwardHeld();
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    drainAll();
  }

  @Override
  public void finish() throws Exception {
    drainAll();
    super.finish();
  }
}
