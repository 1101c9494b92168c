package org.flowmon.deploy.replay;

import org.flowmon.jobs.report.Report;

/** Listens to a {@link LocalReplay}, called by several threads. */
public interface ReplayListener {
  /** Takes a replay's reports in the order of their windows, on one thread. */
  void report(Report report);

  /** Counts more flows, on one thread; {@code late} of them came too late for any window. */
  void flows(long count, long late);

  /** Windows that end a lateness before {@code micros}, or earlier, have been reported. */
  void through(long micros);
}
