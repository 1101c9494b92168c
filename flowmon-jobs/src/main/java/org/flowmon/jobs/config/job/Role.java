package org.flowmon.jobs.config.job;

/** The tasks of a job; on a cluster two jobs, so that a slow database never stops the archive. */
public enum Role {
  ARCHIVE,
  ANALYSES,
  ALL;

  public boolean archives() {
    return this != ANALYSES;
  }

  public boolean analyses() {
    return this != ARCHIVE;
  }
}
