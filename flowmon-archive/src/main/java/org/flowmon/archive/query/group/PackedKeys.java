package org.flowmon.archive.query.group;

import java.util.Optional;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.archive.query.group.table.PackedKey;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.query.plan.NumberedKeys;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The keys of a query's groups in one long, the first in the highest bits: the order of these longs
 * is that of the keys, with NULL last. Immutable.
 */
final class PackedKeys {
  private static final int MAX_BITS = 62;

  private final NumberedKeys keys;
  private final AddressNumbers firsts;
  private final AddressNumbers others;
  private final GroupLayout layout;
  private final PackedKey[] packing;

  private PackedKeys(
      NumberedKeys keys, AddressNumbers firsts, AddressNumbers others, PackedKey[] packing) {
    this.keys = keys;
    this.firsts = firsts;
    this.others = others;
    this.layout = GroupLayout.of(keys.query());
    this.packing = packing;
  }

  static Optional<PackedKeys> of(NumberedKeys keys, AddressNumbers numbers) {
    return of(keys, numbers, numbers);
  }

  /**
   * {@code firsts} number the first key's addresses, {@code others} those of the other keys; empty
   * if the keys, and a bit for each argument, do not fit one long.
   */
  static Optional<PackedKeys> of(NumberedKeys keys, AddressNumbers firsts, AddressNumbers others) {
    PackedKey[] packing = new PackedKey[keys.keys().size()];
    int shift = 0;
    for (int k = packing.length - 1; k >= 0 && shift <= MAX_BITS; k--) {
      long ofNull = (k == 0 ? firsts : others).ofNull();
      boolean isAddress = true;
      if (keys.keys().get(k) instanceof NumberedKeys.NumberKey number) {
        ofNull = 1L << NumberedKeys.bits(number.column().type());
        isAddress = false;
      }
      // At least one: if no address is numbered, NULL is 0.
      int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(ofNull));
      packing[k] = new PackedKey(shift, bits, ofNull, isAddress);
      shift += bits;
    }
    PackedKeys packed = new PackedKeys(keys, firsts, others, packing);
    return shift <= MAX_BITS && PartitionedRows.fits(shift, packed.layout.arguments().size())
        ? Optional.of(packed)
        : Optional.empty();
  }

  FlowQuery query() {
    return keys.query();
  }

  NumberedKeys keys() {
    return keys;
  }

  GroupLayout layout() {
    return layout;
  }

  PackedKey[] packing() {
    return packing;
  }

  int bits() {
    return packing[0].shift() + packing[0].bits();
  }

  AddressNumbers numbers(int key) {
    return key == 0 ? firsts : others;
  }
}
