package org.flowmon.udaf.countmin;

/** Takes items with bounds of their weights. */
public interface ItemSink {
  /** Takes an item and an upper bound of its weight. */
  void add(long high, long low, long upper);
}
