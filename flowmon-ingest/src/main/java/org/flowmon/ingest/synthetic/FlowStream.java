package org.flowmon.ingest.synthetic;

/** An endless stream of flows, the same for the same seed and times. Not thread-safe. */
public interface FlowStream {
  /** The next flow exported at this time, which never goes back. */
  void next(long nowMillis, SyntheticFlow flow);
}
