package org.flowmon.udaf.countmin;

/** Items with bounds of their weights. */
public interface ItemSink {
  void add(long high, long low, long upper);
}
