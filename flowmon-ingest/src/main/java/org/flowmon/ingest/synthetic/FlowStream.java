package org.flowmon.ingest.synthetic;

/**
 * An endless stream of flows. The same seed and the same times give the same flows. Not
 * thread-safe.
 */
public interface FlowStream {
  /**
   * Fills in the next flow as an exporter would export it now.
   *
   * @param nowMillis the time of export, never smaller than in the call before
   */
  void next(long nowMillis, SyntheticFlow flow);
}
