package org.flowmon.jobs.config.job;

/** The offsets at which a job without a checkpoint begins. */
public enum StartingOffsets {
  EARLIEST,
  LATEST,
  /** The consumer group's offset; for a new group the oldest flow. */
  COMMITTED
}
