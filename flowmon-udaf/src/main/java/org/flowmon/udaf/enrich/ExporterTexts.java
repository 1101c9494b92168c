package org.flowmon.udaf.enrich;

import java.util.Arrays;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Texts by exporter or by exporter and interface, in a hash table that is at most half full. */
public final class ExporterTexts implements Lookup {
  /** An exporter's interface; index 0 if the text is the exporter's own. */
  public record Key(IpAddress exporter, long index) {}

  private final boolean byInterface;
  private final long[] highs;
  private final long[] lows;
  private final long[] indexes;
  private final @Nullable String[] texts;

  public ExporterTexts(boolean byInterface, Map<Key, String> byKey) {
    this.byInterface = byInterface;
    int size = Lookups.slots(byKey.size());
    highs = new long[size];
    lows = new long[size];
    indexes = new long[size];
    texts = new String[size];
    byKey.forEach(
        (key, text) -> {
          int slot = slot(key.exporter().hi(), key.exporter().lo(), key.index());
          highs[slot] = key.exporter().hi();
          lows[slot] = key.exporter().lo();
          indexes[slot] = key.index();
          texts[slot] = text;
        });
  }

  /** Null if there is none. */
  @Nullable String text(long hi, long lo, long index) {
    return texts[slot(hi, lo, index)];
  }

  /** The slot of a key, or the empty slot that it would take. */
  private int slot(long hi, long lo, long index) {
    int slot = (int) TableHash.of(TableHash.of(hi, lo), index) & (texts.length - 1);
    while (texts[slot] != null
        && (lows[slot] != lo || highs[slot] != hi || indexes[slot] != index)) {
      slot = (slot + 1) & (texts.length - 1);
    }
    return slot;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    long[] high = keys[0].requireHigh();
    long[] low = keys[0].values();
    @Nullable String[] found = out.requireTexts();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      String text = texts[slot(high[i], low[i], byInterface ? keys[1].values()[i] : 0)];
      found[i] = text;
      out.validity()[i >>> 6] |= (text == null ? 0L : 1L) << i;
    }
    Lookups.settle(keys, count, out);
  }
}
