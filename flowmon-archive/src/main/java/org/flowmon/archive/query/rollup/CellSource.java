package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.query.posting.AddressDictionary;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.set.AddressRanges;

/**
 * Cells that answer for some rows: slices of a rollup, whose ids count the addresses of one sorted
 * dictionary. Every method that reads can throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}. Not changed once it is planned.
 */
public abstract class CellSource {
  private final AddressDictionary dictionary;
  private final Rollup rollup;
  private final long unitMicros;
  private int[] slices = {};
  private long cells;
  private List<AddressIds> ids;

  /** Of which nothing is chosen yet. */
  CellSource(AddressDictionary dictionary, Rollup rollup, long unitMicros) {
    this.dictionary = dictionary;
    this.rollup = rollup;
    this.unitMicros = unitMicros;
  }

  /** Chooses the first {@code n} of these slices, given by their places in the rollup. */
  final void choose(int[] some, int n) {
    slices = Arrays.copyOf(some, n);
    cells = 0;
    for (int slice : slices) {
      cells += rollup.cells(slice);
    }
  }

  /** Chooses the ids of some addresses, null for any. */
  final void choose(AddressRanges wanted) {
    ids = wanted == null ? null : AddressIds.of(dictionary, wanted);
  }

  /** The addresses of the cells. */
  final AddressDictionary dictionary() {
    return dictionary;
  }

  /** The column whose addresses the cells are by. */
  final FlowColumn address() {
    return dictionary.column();
  }

  /** The sums; its {@link Rollup#nullId} is the number of addresses of the dictionary. */
  final Rollup rollup() {
    return rollup;
  }

  /** Number of slices to be read. */
  final int slices() {
    return slices.length;
  }

  /** The place of one of them in the rollup. */
  final int slice(int i) {
    return slices[i];
  }

  /** The only ids that can satisfy the filter, ascending; null for any. */
  final List<AddressIds> ids() {
    return ids;
  }

  /** Cells of the slices. */
  public final long cells() {
    return cells;
  }

  /** A slice's time is its hour, or day, times this, in µs. */
  final long unitMicros() {
    return unitMicros;
  }

  /** What says that these sums are damaged, so that others have to answer; it is noted. */
  abstract DamagedCellsException damaged(String problem);
}
