package org.flowmon.udaf.enrich;

import java.util.Arrays;
import java.util.Map;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Texts by a whole number, in a hash table that is at most half full. */
public final class CodeTexts implements Lookup {
  private final long[] codes;
  private final @Nullable String[] texts;

  public CodeTexts(Map<Long, String> byCode) {
    int size = Lookups.slots(byCode.size());
    codes = new long[size];
    texts = new String[size];
    byCode.forEach(
        (code, text) -> {
          int slot = slot(code);
          codes[slot] = code;
          texts[slot] = text;
        });
  }

  /** Null if there is none. */
  @Nullable String text(long code) {
    return texts[slot(code)];
  }

  /** The slot of a code, or the empty slot that it would take. */
  private int slot(long code) {
    int slot = (int) TableHash.of(code) & (codes.length - 1);
    while (texts[slot] != null && codes[slot] != code) {
      slot = (slot + 1) & (codes.length - 1);
    }
    return slot;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    long[] values = keys[0].values();
    @Nullable String[] found = out.requireTexts();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      String text = text(values[i]);
      found[i] = text;
      out.validity()[i >>> 6] |= (text == null ? 0L : 1L) << i;
    }
    Lookups.settle(keys, count, out);
  }
}
