package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Cells that answer for some rows: slices of a rollup, whose ids count the addresses of one sorted
 * dictionary. Every method that reads can throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}.
 */
interface CellSource {
  /** The column whose addresses the cells are by. */
  FlowColumn address();

  /** The sums; its {@link Rollup#nullId} is the number of addresses of the dictionary. */
  Rollup rollup();

  /** Number of slices to be read. */
  int slices();

  /** The place of one of them in the rollup. */
  int slice(int i);

  /** The only ids that can satisfy the filter, ascending; null for any. */
  List<AddressIds> ids();

  /** Cells of the slices. */
  long cells();

  /** A slice's time is its hour, or day, times this, in µs. */
  long unitMicros();

  /** The address of an id. */
  IpAddress address(int id);

  /** The id of the first address that is at least this one. */
  int lowerBound(IpAddress address);

  /**
   * Reads addresses.
   *
   * @param ids ascending or not
   * @param n how many of them
   */
  void readAddresses(int[] ids, int n, long[] high, long[] low);

  /** Reads the addresses of successive ids, from {@code from} on. */
  void readAddresses(int from, int n, long[] high, long[] low);

  /** What says that these sums are damaged, so that others have to answer; it is noted. */
  DamagedCellsException damaged(String problem);
}
