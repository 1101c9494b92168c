package org.flowmon.archive.directory;

import org.flowmon.archive.sorted.AddressStream;

/** Addresses in ascending order, each with the segments that hold it. */
interface HostStream extends AddressStream {
  int count();

  /** 4 × the number of a segment + its roles there; ascending over {@code i}. */
  int place(int i);
}
