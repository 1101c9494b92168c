package org.flowmon.udaf.countmin;

/** Takes items with bounds of their weights. */
public interface ItemSink {
  void add(long high, long low, long upper);
}
