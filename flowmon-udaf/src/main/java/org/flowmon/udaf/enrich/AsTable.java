package org.flowmon.udaf.enrich;

import org.flowmon.udaf.vector.Vector;

/** Numbers of autonomous systems by address, for flows whose exporter gives none. */
public final class AsTable implements Lookup {
  private final AddressTable table;
  private final long[] numbers;

  /**
   * The array is kept.
   *
   * @param numbers by the table's entry
   */
  public AsTable(AddressTable table, long[] numbers) {
    this.table = table;
    this.numbers = numbers;
  }

  /** The keys are the exporter's number and an address. */
  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    Vector exported = keys[0];
    Vector addresses = keys[1];
    out.copy(exported, count);
    if (exported.allValid()) {
      return;
    }
    long[] high = addresses.requireHigh();
    long[] low = addresses.values();
    for (int i = 0; i < count; i++) {
      if (exported.isValid(i) || !addresses.isValid(i)) {
        continue;
      }
      int entry = table.find(high[i], low[i]);
      if (entry >= 0) {
        out.values()[i] = numbers[entry];
        out.validity()[i >>> 6] |= 1L << i;
      }
    }
    out.settleValidity(count);
  }
}
