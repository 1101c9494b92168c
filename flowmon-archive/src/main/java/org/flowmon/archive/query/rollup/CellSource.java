package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.query.posting.AddressDictionary;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.set.AddressRanges;

/**
 * Cells that replace some rows: slices of a rollup, whose ids are the places in one sorted
 * dictionary of addresses. Every method that reads may throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}. Not changed after planning.
 */
public abstract class CellSource {
  private final AddressDictionary dictionary;
  private final Rollup rollup;
  private final long unitMicros;
  private int[] slices = {};
  private long cells;
  private List<AddressIds> ids;

  /** A source without chosen slices. */
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

  /** The column of the cells' addresses. */
  final FlowColumn address() {
    return dictionary.column();
  }

  /** The rollup; its {@link Rollup#nullId} is the number of addresses of the dictionary. */
  final Rollup rollup() {
    return rollup;
  }

  /** Number of slices to be read. */
  final int slices() {
    return slices.length;
  }

  /** The place of the i-th of them in the rollup. */
  final int slice(int i) {
    return slices[i];
  }

  /** The only ids that can satisfy the filter, ascending; null for any. */
  final List<AddressIds> ids() {
    return ids;
  }

  /** Number of cells in the slices. */
  public final long cells() {
    return cells;
  }

  /** The unit of a slice's time, an hour or a day, in µs. */
  final long unitMicros() {
    return unitMicros;
  }

  /**
   * Creates the exception for damage of these cells, so that other data answers; the damage is
   * recorded.
   */
  abstract DamagedCellsException damaged(String problem);
}
