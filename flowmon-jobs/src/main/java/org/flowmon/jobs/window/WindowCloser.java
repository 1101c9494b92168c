package org.flowmon.jobs.window;

import java.util.function.Consumer;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.pane.WindowSpec;

/** Closes windows of one analysis, and gives their results. */
interface WindowCloser {
  /** Those of a query over flows. */
  void of(OpenWindows own, Consumer<WindowResult> results);

  /** Those of a query over the results of others. */
  void of(JoinedWindows joined, Consumer<WindowResult> results);

  /** Windows that have a new result at a watermark. */
  static WindowCloser upTo(long completeThrough) {
    return new WindowCloser() {
      @Override
      public void of(OpenWindows own, Consumer<WindowResult> results) {
        own.closeUpTo(completeThrough, results);
      }

      @Override
      public void of(JoinedWindows joined, Consumer<WindowResult> results) {
        joined.closeUpTo(completeThrough, results);
      }
    };
  }

  /**
   * All windows, as no more input comes.
   *
   * @param through what was closed before
   */
  static WindowCloser atEnd(long through) {
    return new WindowCloser() {
      @Override
      public void of(OpenWindows own, Consumer<WindowResult> results) {
        own.closeAtEnd(result -> results.accept(atEnd(result)));
      }

      @Override
      public void of(JoinedWindows joined, Consumer<WindowResult> results) {
        joined.closeAtEnd(result -> results.accept(atEnd(result)));
      }

      private WindowResult atEnd(WindowResult result) {
        // No flow is of the window that arrived long before it: should the end of input come before
        // any watermark of its time, there was input nevertheless.
        long arrived = result.windowStart() - WindowSpec.DEFAULT_AHEAD_MICROS;
        return result.atEndOfInput(Math.max(through, arrived));
      }
    };
  }
}
