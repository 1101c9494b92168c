package org.flowmon.archive.query;

import org.flowmon.flow.IpAddress;

/** The addresses of cells by their ids, which ascend with them. Safe to share between threads. */
interface CellDictionary {
  /** How many there are; this is the id of NULL. */
  int size();

  /** The id of the first address that is at least this one, {@link #size} where none is. */
  int lowerBound(IpAddress address);

  /** The address of an id. */
  IpAddress address(int id);
}
