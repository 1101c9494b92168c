package org.flowmon.archive.days;

/** Distinct addresses in ascending order, read by place. */
interface AddressSource {
  int size();

  void read(int from, int n, long[] high, long[] low);
}
