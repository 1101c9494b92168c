package org.flowmon.archive.query.posting;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The addresses of cells by id, both ascending. Safe to share between threads. */
public interface AddressDictionary {
  FlowColumn column();

  /** Number of addresses; also the id of NULL. */
  int size();

  /** The id of the first address that is at least the given one, {@link #size} if none is. */
  int lowerBound(IpAddress address);

  IpAddress address(int id);

  /** The {@code n} ids may be in any order. */
  void readAddresses(int[] ids, int n, long[] high, long[] low);

  void readAddresses(int from, int n, long[] high, long[] low);
}
