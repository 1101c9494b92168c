package org.flowmon.udaf.frequency;

/** Takes items with what is known of their weights. */
interface ItemList {
  /** An item and an upper bound of its weight. */
  void add(long high, long low, long upper);
}
