package org.flowmon.jobs.window;

import java.util.function.Consumer;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.pane.WindowSpec;

/** Closes windows of one analysis, and gives their results. */
interface WindowCloser {
  /** Closes the windows of a query over flows. */
  void of(OpenWindows own, Consumer<WindowResult> results);

  /** Closes the windows of a query over the results of others. */
  void of(JoinedWindows joined, Consumer<WindowResult> results);

  /** Returns a closer of windows with a new result at a watermark. */
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
   * Returns a closer of all windows, for the end of input.
   *
   * @param through the time through which windows were closed before
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
        // A flow of the window did not arrive long before it: if the end of input comes before any
        // watermark of its time, there was input nevertheless.
        long arrived = result.windowStart() - WindowSpec.DEFAULT_AHEAD_MICROS;
        return result.atEndOfInput(Math.max(through, arrived));
      }
    };
  }
}
