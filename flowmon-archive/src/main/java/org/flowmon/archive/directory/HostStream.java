package org.flowmon.archive.directory;

/**
 * Addresses in ascending order, each with the segments that hold it. Can throw {@link
 * org.flowmon.archive.region.SegmentCorruptException} anywhere.
 */
interface HostStream {
  /** Goes on to the next address, false if there is none. */
  boolean next();

  /** High long of the address. */
  long high();

  /** Low long of the address. */
  long low();

  /** In how many segments it is. */
  int count();

  /** 4 × the number of a segment + its roles there; ascending over {@code i}. */
  int place(int i);
}
