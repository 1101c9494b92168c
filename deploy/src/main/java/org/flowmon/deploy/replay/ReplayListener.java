package org.flowmon.deploy.replay;

import org.flowmon.jobs.report.Report;

/** Told what happens in a {@link LocalReplay}, by several threads. */
public interface ReplayListener {
  /** A report: those of one replay come in the order of their windows, by one thread. */
  void report(Report report);

  /** More flows were read. */
  void flows(long count);

  /** Windows that end a lateness before then or earlier have been reported, in microseconds. */
  void through(long micros);
}
