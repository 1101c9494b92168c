package org.flowmon.jobs.config.job;

/**
 * The tasks of a job. On a cluster two jobs run, so that a slow database never stops the archive.
 */
public enum Role {
  /** Writes flows to the archive. */
  ARCHIVE,
  /** Runs the analyses. */
  ANALYSES,
  /** Both, in one job. */
  ALL;

  public boolean archives() {
    return this != ANALYSES;
  }

  public boolean analyses() {
    return this != ARCHIVE;
  }
}
