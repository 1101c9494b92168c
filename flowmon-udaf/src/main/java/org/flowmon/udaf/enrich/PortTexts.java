package org.flowmon.udaf.enrich;

import java.util.Arrays;
import java.util.Map;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Names of ports by protocol and port. */
public final class PortTexts implements Lookup {
  private final CodeTexts names;

  /** By protocol × 65,536 + port. */
  public PortTexts(Map<Long, String> names) {
    this.names = new CodeTexts(names);
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    long[] protocols = keys[0].values();
    long[] ports = keys[1].values();
    @Nullable String[] found = out.requireTexts();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      String text = names.text(protocols[i] << 16 | ports[i]);
      found[i] = text;
      out.validity()[i >>> 6] |= (text == null ? 0L : 1L) << i;
    }
    Lookups.settle(keys, count, out);
  }
}
