package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.merge.WindowResultSerializer;
import org.junit.jupiter.api.Test;

/** Watermarks while windows wait for their history. */
class HistoryOperatorTest extends ArchivedHistory {
  /** Returns a task whose queue holds this many windows and watermarks together. */
  private OneInputStreamOperatorTestHarness<WindowResult, WindowHistory> task(int capacity)
      throws Exception {
    HistoryOperator.Settings settings =
        new HistoryOperator.Settings(
            List.of(ArchiveLocation.of(directory)),
            List.of(elephants("elephants", "60000")),
            DELAY,
            TOPIC,
            Duration.ZERO,
            HistoryOperator.Pace.LIVE);
    var task =
        new OneInputStreamOperatorTestHarness<WindowResult, WindowHistory>(
            new HistoryOperator.Factory(settings, 600_000, capacity), new WindowResultSerializer());
    task.setup(new WindowHistorySerializer());
    task.open();
    return task;
  }

  private static void send(
      OneInputStreamOperatorTestHarness<WindowResult, WindowHistory> task, long windowEnd)
      throws Exception {
    task.processElement(new StreamRecord<>(ending(windowEnd, window(100, A, 60))));
  }

  /** Returns the output once it has this size: ends of windows in seconds after END, and marks. */
  private static List<String> out(
      OneInputStreamOperatorTestHarness<WindowResult, WindowHistory> task, int count)
      throws Exception {
    while (task.getOutput().size() < count) {
      task.getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
    }
    return task.getOutput().stream().map(HistoryOperatorTest::said).toList();
  }

  private static String said(Object one) {
    if (one instanceof Watermark mark) {
      return "mark " + mark.getTimestamp();
    }
    WindowHistory answer = (WindowHistory) ((StreamRecord<?>) one).getValue();
    assertEquals(HistoryStatus.EXACT, answer.history().status(), answer.history().message());
    return "window " + (answer.window().windowEnd() - END) / SECOND;
  }

  @Test
  void watermarksBehindAWindowThatWaitsDoNotFillTheQueue() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    try (var task = task(2)) {
      send(task, END);
      for (int mark = 1; mark <= 1000; mark++) {
        task.processWatermark(mark); // a third entry would wait for the first to leave
      }
      assertEquals(List.of(), List.copyOf(task.getOutput()));
      archive(END);
      assertEquals(List.of("window 0", "mark 1000"), out(task, 2));
      task.processWatermark(1001);
      assertEquals("mark 1001", out(task, 3).get(2), "nothing waits any more");
    }
  }

  @Test
  void noWindowPassesAWatermark() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    try (var task = task(10)) {
      send(task, END);
      task.processWatermark(1);
      task.processWatermark(2);
      send(task, END - 10 * SECOND); // the archive has reached this one
      task.processWatermark(3);
      archive(END);
      assertEquals(List.of("window 0", "mark 2", "window -10", "mark 3"), out(task, 4));
    }
  }

  @Test
  void anAnswerForATaskThatHasEndedIsNoFailure() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    try (var task = task(2)) {
      send(task, END);
      task.getTaskMailbox().quiesce();
      task.setProcessingTime(600_000); // when Flink gives the lookup up
      assertEquals(List.of(), List.copyOf(task.getOutput()));
    }
  }

  @Test
  void theLastWatermarkComesBeforeTheEnd() throws Exception {
    archive(AS_OF - 1, flow(A, 1, 10));
    try (var task = task(10)) {
      send(task, END);
      task.processWatermark(1);
      task.processWatermark(Watermark.MAX_WATERMARK.getTimestamp());
      archive(END);
      task.endInput();
      assertEquals(2, task.getOutput().size(), "also before the task's next mail");
      assertEquals(List.of("window 0", "mark " + Long.MAX_VALUE), out(task, 2));
    }
  }
}
