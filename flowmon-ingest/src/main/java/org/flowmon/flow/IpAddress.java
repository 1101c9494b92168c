package org.flowmon.flow;

import org.flowmon.flow.bytes.BigEndian;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as two longs in network order. IPv4 is {@code ::ffff:0:0/96} (RFC 4291 section
 * 2.5.5.2). The order is that of the 16 bytes, unsigned. Hot paths keep the two longs apart and use
 * the static methods.
 */
public record IpAddress(long hi, long lo) implements Comparable<IpAddress> {
  private static final long IPV4_PREFIX = 0x0000_FFFF_0000_0000L;

  public static long ipv4Low(int address) {
    return IPV4_PREFIX | (address & 0xFFFF_FFFFL);
  }

  public static IpAddress ofIpv4(int address) {
    return new IpAddress(0, ipv4Low(address));
  }

  public static boolean isIpv4(long hi, long lo) {
    return hi == 0 && (lo >>> 32) == 0xFFFFL;
  }

  public boolean isIpv4() {
    return isIpv4(hi, lo);
  }

  /** By the 16 bytes, unsigned: IPv4 lies within {@code ::ffff:0:0/96}. */
  public static int compare(long hiA, long loA, long hiB, long loB) {
    int high = Long.compareUnsigned(hiA, hiB);
    return high != 0 ? high : Long.compareUnsigned(loA, loB);
  }

  /** Differs from process to process, see {@link TableHash}. */
  @Override
  public int hashCode() {
    return (int) TableHash.of(hi, lo);
  }

  @Override
  public int compareTo(IpAddress other) {
    return compare(hi, lo, other.hi, other.lo);
  }

  /** Returns the address of 4 or 16 bytes in network order. */
  public static IpAddress ofBytes(byte[] bytes) {
    return switch (bytes.length) {
      case 4 -> ofIpv4(BigEndian.getInt(bytes, 0));
      case 16 -> new IpAddress(BigEndian.getLong(bytes, 0), BigEndian.getLong(bytes, 8));
      default ->
          throw new IllegalArgumentException("an address has 4 or 16 bytes, found " + bytes.length);
    };
  }

  public byte[] toBytes() {
    byte[] bytes = new byte[16];
    BigEndian.putLong(bytes, 0, hi);
    BigEndian.putLong(bytes, 8, lo);
    return bytes;
  }

  /** Dotted IPv4 or RFC 4291, no name lookup; {@link IllegalArgumentException} names the text. */
  public static IpAddress parse(String text) {
    IpAddress parsed = parseOrNull(text);
    if (parsed == null) {
      throw new IllegalArgumentException("not an IP address: '" + text + "'");
    }
    return parsed;
  }

  public static @Nullable IpAddress parseOrNull(String text) {
    int length = text.length();
    if (length < 2 || length > 45) {
      return null;
    }
    if (text.indexOf(':') < 0) {
      long value = parseIpv4(text, 0, length);
      return value < 0 ? null : ofIpv4((int) value);
    }
    return parseIpv6(text);
  }

  /** An unsigned 32-bit value, −1 if text[from, to) is not dotted IPv4. */
  private static long parseIpv4(String text, int from, int to) {
    long value = 0;
    int parts = 0;
    int digits = 0;
    int octet = 0;
    for (int i = from; i <= to; i++) {
      char c = i < to ? text.charAt(i) : '.';
      if (c == '.') {
        if (digits == 0) {
          return -1;
        }
        value = (value << 8) | octet;
        parts++;
        digits = 0;
        octet = 0;
        if (parts == 4 && i < to) {
          return -1;
        }
      } else if (c >= '0' && c <= '9') {
        if (digits > 0 && octet == 0) {
          return -1; // elsewhere a leading zero may mean octal: refuse it
        }
        octet = octet * 10 + (c - '0');
        digits++;
        if (octet > 255) {
          return -1;
        }
      } else {
        return -1;
      }
    }
    return parts == 4 ? value : -1;
  }

  private static @Nullable IpAddress parseIpv6(String text) {
    int[] groups = new int[8];
    int count = 0;
    int gap = -1;
    int i = 0;
    int length = text.length();
    if (text.startsWith("::")) {
      gap = 0;
      i = 2;
    } else if (text.charAt(0) == ':') {
      return null;
    }
    while (i < length) {
      if (count == 8) {
        return null;
      }
      int end = i;
      while (end < length && text.charAt(end) != ':') {
        end++;
      }
      if (end == length && text.indexOf('.', i) >= 0) {
        long v4 = parseIpv4(text, i, end);
        if (v4 < 0 || count > 6) {
          return null;
        }
        groups[count++] = (int) (v4 >>> 16);
        groups[count++] = (int) (v4 & 0xFFFF);
        i = length;
        break;
      }
      int group = parseGroup(text, i, end);
      if (group < 0) {
        return null;
      }
      groups[count++] = group;
      i = end;
      if (i < length) {
        i++; // the colon
        if (i == length) {
          return null;
        }
        if (text.charAt(i) == ':') {
          if (gap >= 0) {
            return null;
          }
          gap = count;
          i++;
        }
      }
    }
    return ofGroups(groups, count, gap);
  }

  /**
   * {@code gap}: groups before {@code ::}, −1 without; null if there are not eight with its own.
   */
  private static @Nullable IpAddress ofGroups(int[] groups, int count, int gap) {
    if (gap < 0 ? count != 8 : count > 7) {
      return null;
    }
    if (gap >= 0) {
      int tail = count - gap;
      System.arraycopy(groups, gap, groups, 8 - tail, tail);
      java.util.Arrays.fill(groups, gap, 8 - tail, 0);
    }
    long hi = 0;
    long lo = 0;
    for (int g = 0; g < 4; g++) {
      hi = (hi << 16) | groups[g];
      lo = (lo << 16) | groups[g + 4];
    }
    return new IpAddress(hi, lo);
  }

  private static int parseGroup(String text, int from, int to) {
    if (to == from || to - from > 4) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0 || text.charAt(i) > 'f') {
        return -1;
      }
      value = (value << 4) | digit;
    }
    return value;
  }

  /** Dotted for IPv4, RFC 5952 for IPv6. */
  public static String format(long hi, long lo) {
    if (isIpv4(hi, lo)) {
      return (lo >>> 24 & 0xFF)
          + "."
          + (lo >>> 16 & 0xFF)
          + "."
          + (lo >>> 8 & 0xFF)
          + "."
          + (lo & 0xFF);
    }
    int bestStart = -1;
    int bestLength = 1; // a single zero group is not shortened (RFC 5952 section 4.2.2)
    for (int g = 0; g < 8; ) {
      int run = 0;
      while (g + run < 8 && group(hi, lo, g + run) == 0) {
        run++;
      }
      if (run > bestLength) {
        bestStart = g;
        bestLength = run;
      }
      g += Math.max(run, 1);
    }
    StringBuilder text = new StringBuilder(39);
    for (int g = 0; g < 8; ) {
      if (g == bestStart) {
        text.append("::");
        g += bestLength;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(group(hi, lo, g)));
      g++;
    }
    return text.toString();
  }

  private static int group(long hi, long lo, int index) {
    long half = index < 4 ? hi : lo;
    return (int) (half >>> (48 - 16 * (index & 3))) & 0xFFFF;
  }

  @Override
  public String toString() {
    return format(hi, lo);
  }
}
