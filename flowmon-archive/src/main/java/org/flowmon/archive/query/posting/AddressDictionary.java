package org.flowmon.archive.query.posting;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The addresses of cells by id, both ascending. Safe to share between threads. */
public interface AddressDictionary {
  /** The column of the addresses. */
  FlowColumn column();

  /** Number of addresses; also the id of NULL. */
  int size();

  /** The id of the first address that is at least the given one, {@link #size} if none is. */
  int lowerBound(IpAddress address);

  /** The address of an id. */
  IpAddress address(int id);

  /**
   * Reads addresses.
   *
   * @param ids in any order
   * @param n number of ids
   */
  void readAddresses(int[] ids, int n, long[] high, long[] low);

  /** Reads the addresses of successive ids, from {@code from} on. */
  void readAddresses(int from, int n, long[] high, long[] low);
}
