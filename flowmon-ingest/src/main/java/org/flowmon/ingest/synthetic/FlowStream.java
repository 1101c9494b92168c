package org.flowmon.ingest.synthetic;

/**
 * An endless stream of flows. The same seed and the same times give the same flows. Not
 * thread-safe.
 */
public interface FlowStream {
  /**
   * Fills in the next flow that an exporter exports at this time.
   *
   * @param nowMillis the time of export, never smaller than in the previous call
   */
  void next(long nowMillis, SyntheticFlow flow);
}
