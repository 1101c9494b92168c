package org.flowmon.archive.sorted;

import org.flowmon.flow.IpAddress;

/** Distinct addresses in ascending order, or numbers that sort unsigned, as low longs. */
public interface AddressList {
  int size();

  long high(int i);

  long low(int i);

  /** The first address that is at least the given one, {@link #size} if none is. */
  default int lowerBound(long high, long low) {
    return BinarySearch.first(0, size(), i -> IpAddress.compare(high(i), low(i), high, low) >= 0);
  }
}
