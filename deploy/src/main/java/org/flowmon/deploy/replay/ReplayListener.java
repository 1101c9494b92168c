package org.flowmon.deploy.replay;

import org.flowmon.jobs.report.Report;

/** Listens to a {@link LocalReplay}, called by several threads. */
public interface ReplayListener {
  /**
   * Takes a report. The reports of one replay come in the order of their windows, on one thread.
   */
  void report(Report report);

  /**
   * Counts more flows, on one thread.
   *
   * @param late how many of them arrived too late for any window
   */
  void flows(long count, long late);

  /**
   * Notes the progress: windows that end a lateness before {@code micros}, or earlier, have been
   * reported.
   */
  void through(long micros);
}
