package org.flowmon.archive.sorted;

/** Ascending addresses; may throw {@link org.flowmon.archive.region.SegmentCorruptException}. */
public interface AddressStream {
  /** Advances to the next address; false if there is none. */
  boolean next();

  long high();

  long low();
}
