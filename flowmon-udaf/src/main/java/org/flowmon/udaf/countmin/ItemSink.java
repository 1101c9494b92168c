package org.flowmon.udaf.countmin;

/** Takes items with what is known of their weights. */
public interface ItemSink {
  /** An item and an upper bound of its weight. */
  void add(long high, long low, long upper);
}
