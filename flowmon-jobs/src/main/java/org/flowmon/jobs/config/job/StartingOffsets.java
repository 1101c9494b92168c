package org.flowmon.jobs.config.job;

/** Where a job that has no checkpoint begins to read. */
public enum StartingOffsets {
  /** With the oldest flow that Kafka still has. */
  EARLIEST,
  /** With the flows that come from now on. */
  LATEST,
  /** Where the consumer group stood; with the oldest flow where the group is new. */
  COMMITTED
}
