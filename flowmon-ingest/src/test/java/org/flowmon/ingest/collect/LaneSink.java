package org.flowmon.ingest.collect;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.jspecify.annotations.Nullable;

/** Keeps the flows of one lane, and can be blocked. */
final class LaneSink implements CollectorSink {
  private final FlowRecorder recorder = new FlowRecorder(100);
  private final CountDownLatch gate;
  private volatile @Nullable Error tickError;
  private long lost;

  LaneSink() {
    this(new CountDownLatch(0));
  }

  /** Waits at the gate after each datagram. */
  LaneSink(CountDownLatch gate) {
    this.gate = gate;
  }

  @Override
  public FlowBatchBuilder builder() {
    return recorder.builder();
  }

  @Override
  public void rowsEnded(int rows) {
    recorder.rowsEnded(rows);
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void tick(long nowMicros) {
    Error error = tickError;
    if (error != null) {
      throw error;
    }
  }

  /** Each tick fails from now on. */
  void failTicks(Error error) {
    tickError = error;
  }

  @Override
  public void lost(long flows) {
    lost += flows;
  }

  /** After the collector. */
  List<Map<FlowColumn, Object>> rows() {
    return recorder.rows();
  }

  long told() {
    return lost;
  }
}
