package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.posting.AddressDictionary;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.set.AddressRanges;
import org.jspecify.annotations.Nullable;

/**
 * Cells that replace some rows: slices of a rollup, whose ids are the places in one sorted
 * dictionary of addresses. Reading may throw {@link
 * org.flowmon.archive.region.SegmentCorruptException}. Not changed after planning.
 */
public abstract class CellSource {
  private final AddressDictionary dictionary;
  private final Rollup rollup;
  private final long unitMicros;
  private int[] slices = {};
  private long cells;
  private Optional<List<AddressIds>> ids = Optional.empty();

  CellSource(AddressDictionary dictionary, Rollup rollup, long unitMicros) {
    this.dictionary = dictionary;
    this.rollup = rollup;
    this.unitMicros = unitMicros;
  }

  /** The first {@code n} slices, by their places in the rollup. */
  final void choose(int[] some, int n) {
    slices = Arrays.copyOf(some, n);
    cells = 0;
    for (int slice : slices) {
      cells += rollup.cells(slice);
    }
  }

  /** {@code wanted} is null for any address. */
  final void choose(@Nullable AddressRanges wanted) {
    ids = Optional.ofNullable(wanted).map(some -> AddressIds.of(dictionary, some));
  }

  final AddressDictionary dictionary() {
    return dictionary;
  }

  final FlowColumn address() {
    return dictionary.column();
  }

  /** {@link Rollup#nullId} is the number of addresses of the dictionary. */
  final Rollup rollup() {
    return rollup;
  }

  final int slices() {
    return slices.length;
  }

  /** The place of the i-th of them in the rollup. */
  final int slice(int i) {
    return slices[i];
  }

  /** The only ids that can satisfy the filter, ascending; empty for any. */
  final Optional<List<AddressIds>> ids() {
    return ids;
  }

  public final long cells() {
    return cells;
  }

  /** An hour or a day, in µs. */
  final long unitMicros() {
    return unitMicros;
  }

  /** Records the damage; the exception makes other data answer. */
  abstract DamagedCellsException damaged(String problem);
}
