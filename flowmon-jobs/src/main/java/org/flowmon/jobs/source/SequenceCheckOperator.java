package org.flowmon.jobs.source;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchHeader;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.jobs.quarantine.Quarantined;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the producers' sequence numbers. Of a batch sent twice only the position goes on ({@link
 * PositionedBatch#repeat}). Missing flows, by producers' cumulative counts, are reported by {@link
 * PositionedBatch#lostBefore}. A batch so late that it is unknown whether it was taken is dropped
 * with its position: to the archive its flows are missing. A number so far after a producer's last
 * that no gap explains it is refused until the producer went on from there for some time, as after
 * an outage longer than the topic's retention.
 *
 * <p>Of a refused message, too, only the position goes on; the message goes to {@link
 * Quarantined#TAG}. The flows in its header are lost: reported here if no gap covers them, else by
 * the gap; before a known arrival with the partition's first taken batch. It changes no producer's
 * position, unless it is just the expected next. Metrics in group {@code flowmon}: {@code
 * quarantined}, {@code quarantined_flows} (refused, by headers); {@code batches}, {@code flows},
 * {@code bytes}, {@code heartbeats} (taken); {@code repeats} (batches dropped), {@code
 * repeated_flows}; {@code gaps}, {@code gap_batches}, {@code gap_flows} (missing), {@code
 * gap_fills} (batches after they counted as missing); {@code producer_losses} (reported by
 * producers), {@code quarantine_losses} (refused, covered by no gap); by partition ({@link
 * PartitionLag}) {@code arrival_lag_seconds}.
 */
public final class SequenceCheckOperator extends AbstractStreamOperator<PositionedBatch>
    implements OneInputStreamOperator<PositionedBatch, PositionedBatch> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(SequenceCheckOperator.class);
  // Its own logger: the demo counts refused messages by reason and silences its lines.
  private static final Logger REFUSED = LoggerFactory.getLogger("org.flowmon.quarantine");

  private transient ProducerPositions positions;
  private transient ListState<ProducerPosition> state;
  private transient ListState<Tuple2<String, Long>> untoldState;
  private transient Counter quarantined;
  private transient Counter quarantinedFlows;
  private transient Counter batches;
  private transient Counter flows;
  private transient Counter bytes;
  private transient Counter heartbeats;
  private transient Counter repeats;
  private transient Counter repeatedFlows;
  private transient Counter gaps;
  private transient Counter gapBatches;
  private transient Counter gapFlows;
  private transient Counter gapFills;
  private transient Counter producerLosses;
  private transient Counter quarantineLosses;
  private transient PartitionLag lag;

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    positions = new ProducerPositions();
    state =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>("producer-positions", new ProducerPositionSerializer()));
    for (ProducerPosition position : state.get()) {
      positions.restore(position);
    }
    untoldState =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>("untold-losses", Types.TUPLE(Types.STRING, Types.LONG)));
    for (Tuple2<String, Long> untold : untoldState.get()) {
      positions.restoreUntold(untold.f0, untold.f1);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    MetricGroup group = getMetricGroup().addGroup("flowmon");
    quarantined = group.counter("quarantined");
    quarantinedFlows = group.counter("quarantined_flows");
    batches = group.counter("batches");
    flows = group.counter("flows");
    bytes = group.counter("bytes");
    heartbeats = group.counter("heartbeats");
    repeats = group.counter("repeats");
    repeatedFlows = group.counter("repeated_flows");
    gaps = group.counter("gaps");
    gapBatches = group.counter("gap_batches");
    gapFlows = group.counter("gap_flows");
    gapFills = group.counter("gap_fills");
    producerLosses = group.counter("producer_losses");
    quarantineLosses = group.counter("quarantine_losses");
    lag = new PartitionLag(group);
  }

  @Override
  public void processElement(StreamRecord<PositionedBatch> element) {
    PositionedBatch record = element.getValue();
    if (record.refused().isPresent()) {
      refuse(element, record.refused().get());
      return;
    }
    lag.reached(record);
    FlowBatch batch = record.batch();
    ProducerPosition position = positions.get(record.sourceKey(), batch.producerId());
    if (position == null) {
      long lost = positions.takeUntold(record.sourceKey());
      positions.put(ProducerPosition.first(record));
      take(element, lost);
    } else if (position.isRepeat(batch.sequence())) {
      repeats.inc();
      repeatedFlows.inc(batch.rows());
      if (position.isSeen(batch.sequence())) {
        output.collect(element.replace(record.asRepeat()));
      }
    } else if (position.fillsGap(batch.sequence())) {
      gapFills.inc();
      positions.put(position.with(record));
      take(element, 0);
    } else if (position.missingBatches(batch) > ProducerPosition.MAX_MISSING) {
      takeFar(element, position);
    } else {
      takeNext(element, position, 0);
    }
  }

  /** {@code told}: missing flows that are already counted as lost. */
  private void takeNext(
      StreamRecord<PositionedBatch> element, ProducerPosition position, long told) {
    long lost = countLosses(position, element.getValue().batch(), told);
    positions.put(position.with(element.getValue()));
    take(element, lost);
  }

  private void takeFar(StreamRecord<PositionedBatch> element, ProducerPosition position) {
    if (!positions.far(element.getValue())) {
      refuse(element, outOfSequence(element.getValue(), position));
      return;
    }
    LOG.warn(
        "producer {}: it continues {} batches after its last one; the batches between are gone from"
            + " the topic and count as lost",
        Long.toHexString(position.producerId()),
        position.missingBatches(element.getValue().batch()));
    takeNext(element, position, position.told());
  }

  /** If it were believed, all later batches of its producer would count as repeats. */
  private static Quarantined outOfSequence(PositionedBatch record, ProducerPosition position) {
    return Quarantined.of(
        record.sourceKey(),
        record.offset(),
        "sequence-check",
        String.format(
            "sequence number %d of producer %x, expected %d or at most %d more",
            record.batch().sequence(),
            position.producerId(),
            position.next(),
            ProducerPosition.MAX_MISSING),
        record.batch().bytes());
  }

  private long countLosses(ProducerPosition position, FlowBatch batch, long told) {
    long missingBatches = position.missingBatches(batch);
    long missingFlows = 0;
    if (missingBatches > 0) {
      missingFlows = Math.max(0, position.missingFlows(batch) - told);
      gaps.inc();
      gapBatches.inc(missingBatches);
      gapFlows.inc(missingFlows);
    }
    long lostAtProducer = position.producerLosses(batch);
    producerLosses.inc(lostAtProducer);
    return missingFlows + lostAtProducer;
  }

  private void refuse(StreamRecord<PositionedBatch> element, Quarantined refused) {
    quarantined.inc();
    quarantinedFlows.inc(refused.flows());
    // First few, then ever fewer: 1, 2, 4, 8 … so that a broken producer does not fill the log.
    if (Long.bitCount(quarantined.getCount()) == 1) {
      REFUSED.warn(
          "batch {}: it is left out and written to topic {} ({} so far): {}",
          refused.position(),
          QuarantineMessage.TOPIC,
          quarantined.getCount(),
          refused.reason());
    }
    output.collect(Quarantined.TAG, new StreamRecord<>(refused));
    long arrival = positions.latest(refused.sourceKey());
    long lost = lostWith(refused);
    quarantineLosses.inc(lost);
    if (arrival == Long.MIN_VALUE) {
      positions.addUntold(refused.sourceKey(), lost); // its window is unknown
      lost = 0;
    }
    output.collect(element.replace(element.getValue().asPlace(lost, arrival)));
  }

  /** The flows of a refused message that no gap in its producer's numbers will cover. */
  private long lostWith(Quarantined refused) {
    FlowBatchHeader header = FlowBatchHeader.read(refused.bytes()).orElse(null);
    if (header == null) {
      return 0;
    }
    ProducerPosition position = positions.get(refused.sourceKey(), header.producerId());
    if (position == null) {
      return header.rows(); // of an unknown producer, which stays unknown
    }
    if (position.isBeyondGaps(header)) {
      positions.update(position.withTold(header.rows()));
      return header.rows();
    }
    if (position.isNext(header)) {
      positions.put(position.withLost(header));
      return header.rows();
    }
    return 0; // sent again, or the gap before the producer's next batch covers it
  }

  private void take(StreamRecord<PositionedBatch> element, long lost) {
    PositionedBatch record = element.getValue();
    FlowBatch batch = record.batch();
    if (batch.rows() == 0) {
      heartbeats.inc();
    } else {
      batches.inc();
      flows.inc(batch.rows());
      bytes.inc(batch.bytes().length);
    }
    if (lost > 0) {
      element.replace(record.withLost(lost));
    }
    output.collect(element);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    int task = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    int tasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
    state.update(positions.snapshot(task, tasks));
    List<Tuple2<String, Long>> untold = new ArrayList<>();
    positions
        .snapshotUntold(task, tasks)
        .forEach((key, flows) -> untold.add(Tuple2.of(key, flows)));
    untoldState.update(untold);
  }
}
