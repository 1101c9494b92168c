package org.flowmon.jobs.source;

import org.flowmon.jobs.quarantine.Quarantined;

/** Records as a source gives them, for tests of other packages. */
public final class PositionedBatches {
  private PositionedBatches() {}

  /** A message that the source refuses. */
  public static PositionedBatch refused(String sourceKey, long offset, byte[] message) {
    return PositionedBatch.of(
        Quarantined.of(sourceKey, offset, "flow-source", "a test says so", message));
  }
}
