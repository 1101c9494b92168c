package org.flowmon.jobs.window;

import java.util.function.Consumer;
import org.flowmon.jobs.merge.WindowResult;

/** The windows of one analysis, which have results as the watermark passes them. */
interface ClosingWindows {
  /** Gives new results, earliest first, and forgets windows after their last one. */
  void closeUpTo(long completeThrough, Consumer<WindowResult> results);

  /**
   * Gives the last results of all windows, earliest first. They are remembered in case the job is
   * restored and goes on; the arrival counts by pane stay for later windows.
   */
  void closeAtEnd(Consumer<WindowResult> results);
}
