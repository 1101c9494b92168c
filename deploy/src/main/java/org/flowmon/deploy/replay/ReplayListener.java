package org.flowmon.deploy.replay;

import org.flowmon.jobs.report.Report;

/** Told what happens in a {@link LocalReplay}, by several threads. */
public interface ReplayListener {
  /** A report: those of one replay come in the order of their windows, by one thread. */
  void report(Report report);

  /**
   * More flows were read, by one thread.
   *
   * @param late how many of them arrived so late that they count in no window
   */
  void flows(long count, long late);

  /** Windows that end a lateness before then or earlier have been reported, in microseconds. */
  void through(long micros);
}
