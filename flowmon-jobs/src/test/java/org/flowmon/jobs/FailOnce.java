package org.flowmon.jobs;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * Fails once in this JVM since {@link #reset}, after a complete checkpoint and some more batches.
 * It slows the batches down until then, more and more: on a busy machine a checkpoint takes long.
 */
public final class FailOnce extends RichMapFunction<PositionedBatch, PositionedBatch>
    implements CheckpointListener {
  private static final long serialVersionUID = 1L;
  private static final AtomicInteger FAILURES = new AtomicInteger();

  private transient boolean checkpointed;
  private transient int before;
  private transient int since;

  /** Lets it fail once more. */
  public static void reset() {
    FAILURES.set(0);
  }

  /** Returns the number of failures. */
  public static int failures() {
    return FAILURES.get();
  }

  @Override
  public PositionedBatch map(PositionedBatch batch) throws Exception {
    if (FAILURES.get() == 0) {
      Thread.sleep(checkpointed ? 2 : 20 + 2L * before++);
      if (checkpointed && ++since > 20 && FAILURES.compareAndSet(0, 1)) {
        throw new IllegalStateException("a failure on purpose");
      }
    }
    return batch;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    checkpointed = true;
  }
}
