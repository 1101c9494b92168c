package org.flowmon.archive.address;

import org.flowmon.flow.IpAddress;

/** Distinct addresses in ascending order, or numbers that sort unsigned, as low longs. */
public interface AddressList {
  /** Number of addresses. */
  int size();

  /** High long of an address. */
  long high(int i);

  /** Low long of an address. */
  long low(int i);

  /** The first address that is at least the given one, {@link #size} if none is. */
  default int lowerBound(long high, long low) {
    int from = 0;
    int to = size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (IpAddress.compare(high(middle), low(middle), high, low) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
