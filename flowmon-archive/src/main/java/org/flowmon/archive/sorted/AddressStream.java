package org.flowmon.archive.sorted;

/**
 * Addresses in ascending order. Every method may throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}.
 */
public interface AddressStream {
  /** Advances to the next address; false if there is none. */
  boolean next();

  /** High long of the address. */
  long high();

  /** Low long of the address. */
  long low();
}
