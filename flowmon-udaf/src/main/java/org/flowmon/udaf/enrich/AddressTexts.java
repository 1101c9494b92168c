package org.flowmon.udaf.enrich;

import java.util.Arrays;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Texts by address: the entry of a table is the place of its text. */
public final class AddressTexts implements Lookup {
  private final AddressTable table;
  private final String[] texts;

  /** The arrays are kept; {@code texts} has each text once. */
  public AddressTexts(AddressTable table, String[] texts) {
    this.table = table;
    this.texts = texts;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    Vector addresses = keys[0];
    long[] high = addresses.requireHigh();
    long[] low = addresses.values();
    @Nullable String[] found = out.requireTexts();
    long[] validity = out.validity();
    Arrays.fill(validity, 0);
    for (int i = 0; i < count; i++) {
      int entry = table.find(high[i], low[i]);
      if (entry >= 0) {
        found[i] = texts[entry];
        validity[i >>> 6] |= 1L << i;
      }
    }
    Lookups.settle(keys, count, out);
  }

  @Override
  public boolean ranges(String text, int most, RangeSink sink) {
    int entry = Arrays.asList(texts).indexOf(text);
    return entry < 0 || table.ranges(entry, most, sink);
  }
}
