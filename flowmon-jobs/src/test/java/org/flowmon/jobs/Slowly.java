package org.flowmon.jobs;

import org.apache.flink.api.common.functions.MapFunction;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * Passes batches on, each after ten times a watermark's interval: one comes between two batches.
 */
final class Slowly implements MapFunction<PositionedBatch, PositionedBatch> {
  private static final long serialVersionUID = 1L;

  @Override
  public PositionedBatch map(PositionedBatch batch) throws InterruptedException {
    Thread.sleep(10);
    return batch;
  }
}
