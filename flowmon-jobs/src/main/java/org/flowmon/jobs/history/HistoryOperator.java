package org.flowmon.jobs.history;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.util.retryable.AsyncRetryStrategies;
import org.flowmon.jobs.merge.WindowResult;

/**
 * Flink's operator for asynchronous answers, except that successive watermarks after a waiting
 * window are merged into the last one.
 *
 * <p>Flink's queue takes watermarks as it takes windows, some hundred a second. One lookup of some
 * seconds would fill it, and block the task of all windows, which runs in the same thread. No
 * watermark could leave before that window, so the merged ones carry no information.
 */
final class HistoryOperator extends AsyncWaitOperator<WindowResult, WindowHistory> {
  private static final long serialVersionUID = 1L;

  private final transient MailboxExecutor mailbox;
  // Pending answers; all fields here belong to the task's thread.
  private final transient Set<ResultFuture<WindowHistory>> waiting = new HashSet<>();
  private transient Watermark held;

  /** Creates the operator. */
  static final class Factory extends AsyncWaitOperatorFactory<WindowResult, WindowHistory> {
    private static final long serialVersionUID = 1L;

    private final HistoryFunction function;
    private final long timeoutMillis;
    private final int capacity;

    /**
     * Creates an operator around a function.
     *
     * @param capacity the most windows that wait, with the watermarks between them
     */
    Factory(HistoryFunction function, long timeoutMillis, int capacity) {
      super(function, timeoutMillis, capacity, OutputMode.UNORDERED);
      this.function = function;
      this.timeoutMillis = timeoutMillis;
      this.capacity = capacity;
    }

    @Override
    // The interface leaves T to the caller, who asks for our own type.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T extends StreamOperator<WindowHistory>> T createStreamOperator(
        StreamOperatorParameters<WindowHistory> parameters) {
      return (T)
          new HistoryOperator(
              parameters,
              function,
              timeoutMillis,
              capacity,
              parameters.getProcessingTimeService(),
              getMailboxExecutor());
    }

    @Override
    @SuppressWarnings("rawtypes") // as Flink declares it
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
      return HistoryOperator.class;
    }
  }

  @SuppressWarnings("unchecked") // NO_RETRY_STRATEGY has no type
  private HistoryOperator(
      StreamOperatorParameters<WindowHistory> parameters,
      HistoryFunction function,
      long timeoutMillis,
      int capacity,
      ProcessingTimeService time,
      MailboxExecutor mailbox) {
    super(
        parameters,
        function,
        timeoutMillis,
        capacity,
        OutputMode.UNORDERED,
        AsyncRetryStrategies.NO_RETRY_STRATEGY,
        time,
        mailbox);
    this.mailbox = mailbox;
    function.tell(this);
  }

  /** Notes a pending answer; called by the task's thread. */
  void awaits(ResultFuture<WindowHistory> result) {
    waiting.add(result);
  }

  /**
   * Gives a window its answer, on any thread. After the task has ended the answer is not needed:
   * the window is in its last checkpoint, or it was cancelled.
   */
  void complete(ResultFuture<WindowHistory> result, WindowHistory answer) {
    try {
      result.complete(List.of(answer));
      // After the mail with the answer.
      mailbox.execute(() -> answered(result), "answered");
    } catch (RejectedExecutionException e) {
      LOG.debug("the task ended before the history of {}", answer.window().analysis(), e);
    }
  }

  private void answered(ResultFuture<WindowHistory> result) throws Exception {
    if (waiting.remove(result) && waiting.isEmpty()) {
      passHeld();
    }
  }

  private void passHeld() throws Exception {
    if (held != null) {
      Watermark mark = held;
      held = null;
      super.processWatermark(mark);
    }
  }

  @Override
  public void processElement(StreamRecord<WindowResult> window) throws Exception {
    passHeld();
    super.processElement(window);
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    held = mark;
    if (waiting.isEmpty()) {
      passHeld();
    }
  }

  @Override
  public void endInput() throws Exception {
    passHeld();
    super.endInput();
  }
}
