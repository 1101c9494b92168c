package org.flowmon.udaf.enrich;

import java.util.Arrays;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Texts of a table, or else the stored ones, which are the first key. */
public final class CompletedTexts implements Lookup {
  private final Lookup table;

  /** The table's keys are those after the first. */
  public CompletedTexts(Lookup table) {
    this.table = table;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    table.fill(Arrays.copyOfRange(keys, 1, keys.length), count, out);
    Vector stored = keys[0];
    if (out.allValid()) {
      return;
    }
    @Nullable String[] found = out.requireTexts();
    for (int i = 0; i < count; i++) {
      if (!out.isValid(i) && stored.isValid(i)) {
        found[i] = stored.requireTexts()[i];
        out.validity()[i >>> 6] |= 1L << i;
      }
    }
    out.settleValidity(count);
  }
}
