package org.flowmon.archive.days;

/** Distinct addresses, ascending, by their place. */
interface AddressSource {
  /** How many there are. */
  int size();

  /** Reads n addresses from one on. */
  void read(int from, int n, long[] high, long[] low);
}
