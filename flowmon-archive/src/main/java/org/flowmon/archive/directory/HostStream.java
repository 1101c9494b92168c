package org.flowmon.archive.directory;

/**
 * Addresses in ascending order, each with the segments that hold it. Every method may throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}.
 */
interface HostStream {
  /** Advances to the next address; false if there is none. */
  boolean next();

  /** High long of the address. */
  long high();

  /** Low long of the address. */
  long low();

  /** Number of segments that hold it. */
  int count();

  /** 4 × the number of a segment + its roles there; ascending over {@code i}. */
  int place(int i);
}
