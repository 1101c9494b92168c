package org.flowmon.flow.bytes;

/** Looks at eight bytes at a time. */
public final class ByteSearch {
  private static final long EACH = 0x0101_0101_0101_0101L;
  private static final long LOW_BITS = 0x7F7F_7F7F_7F7F_7F7FL;

  private ByteSearch() {}

  /** The eight times repeated byte, for {@link #matches}. */
  public static long pattern(byte sought) {
    return (sought & 0xFF) * EACH;
  }

  /**
   * The highest bit of each byte of a {@linkplain LittleEndian#getLong word} that is the pattern's;
   * the byte's place is the number of trailing zeros, divided by 8.
   */
  public static long matches(long word, long pattern) {
    long differ = word ^ pattern;
    return ~(((differ & LOW_BITS) + LOW_BITS) | differ | LOW_BITS);
  }

  /** The first place of a byte in [from, to), −1 if it is not there. */
  public static int indexOf(byte[] bytes, int from, int to, byte sought) {
    long pattern = pattern(sought);
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long found = matches(LittleEndian.getLong(bytes, at), pattern);
      if (found != 0) {
        return at + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    for (; at < to; at++) {
      if (bytes[at] == sought) {
        return at;
      }
    }
    return -1;
  }

  /** Whether all bytes of [from, to) are ASCII, as in nearly all texts of flows. */
  public static boolean isAscii(byte[] bytes, int from, int to) {
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      if ((LittleEndian.getLong(bytes, at) & ~LOW_BITS) != 0) {
        return false;
      }
    }
    for (; at < to; at++) {
      if (bytes[at] < 0) {
        return false;
      }
    }
    return true;
  }
}
