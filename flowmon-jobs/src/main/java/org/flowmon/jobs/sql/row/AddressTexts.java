package org.flowmon.jobs.sql.row;

import java.nio.charset.StandardCharsets;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** Addresses as text in UTF-8; those seen last are not written anew. */
final class AddressTexts {
  private static final int KEPT_BITS = 12;
  private static final int KEPT = 1 << KEPT_BITS;

  private final long[] highs = new long[KEPT];
  private final long[] lows = new long[KEPT];
  private final byte[] @Nullable [] kept = new byte[KEPT][];

  /** The bytes are shared: nobody may write to them. */
  byte[] utf8(long high, long low) {
    int place = (int) (((high * 31 + low) * 0x9E37_79B9_7F4A_7C15L) >>> (Long.SIZE - KEPT_BITS));
    byte @Nullable [] known = kept[place];
    if (known == null || highs[place] != high || lows[place] != low) {
      known = IpAddress.format(high, low).getBytes(StandardCharsets.UTF_8);
      kept[place] = known;
      highs[place] = high;
      lows[place] = low;
    }
    return known;
  }
}
