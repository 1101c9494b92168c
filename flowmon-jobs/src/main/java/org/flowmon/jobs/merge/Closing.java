package org.flowmon.jobs.merge;

import java.util.function.Consumer;

/** Closes windows of one analysis, and gives their results. */
interface Closing {
  /** Those of a query over flows. */
  void of(OpenWindows own, Consumer<WindowResult> results);

  /** Those of a query over the results of others. */
  void of(JoinedWindows joined, Consumer<WindowResult> results);

  /** Windows that have a new result at a watermark. */
  static Closing upTo(long completeThrough) {
    return new Closing() {
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
  static Closing atEnd(long through) {
    return new Closing() {
      @Override
      public void of(OpenWindows own, Consumer<WindowResult> results) {
        own.closeAtEnd(result -> results.accept(result.atEndOfInput(through)));
      }

      @Override
      public void of(JoinedWindows joined, Consumer<WindowResult> results) {
        joined.closeAtEnd(result -> results.accept(result.atEndOfInput(through)));
      }
    };
  }
}
