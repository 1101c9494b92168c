package org.flowmon.archive.query.posting;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The addresses of cells by their ids, which ascend with them. Safe to share between threads. */
public interface AddressDictionary {
  /** The column that they are of. */
  FlowColumn column();

  /** How many there are; this is the id of NULL. */
  int size();

  /** The id of the first address that is at least this one, {@link #size} if none is. */
  int lowerBound(IpAddress address);

  /** The address of an id. */
  IpAddress address(int id);

  /**
   * Reads addresses.
   *
   * @param ids ascending or not
   * @param n how many of them
   */
  void readAddresses(int[] ids, int n, long[] high, long[] low);

  /** Reads the addresses of successive ids, from {@code from} on. */
  void readAddresses(int from, int n, long[] high, long[] low);
}
