package org.flowmon.udaf.countmin;

import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * The 16-byte key of an item ({@code docs/format/states.md}). An address is its own key. A number
 * from 0 to 2^32 − 1 is the IPv4 address of its bits, so that ports, AS numbers and IPv4 addresses
 * share one hierarchy. Any other number is the high word; the low one is 0.
 */
public final class ItemKey {
  private ItemKey() {}

  /** Whether the key has only 32 significant bits. */
  public static boolean isNarrow(long high, long low) {
    return IpAddress.isIpv4(high, low);
  }

  public static long highOfNumber(long number) {
    return number >>> 32 == 0 ? 0 : number;
  }

  public static long lowOfNumber(long number) {
    return number >>> 32 == 0 ? IpAddress.ipv4Low((int) number) : 0;
  }

  /** Whether an item of this kind can have such a key. */
  public static boolean isOf(ValueKind kind, long high, long low) {
    return kind == ValueKind.ADDRESS || isNarrow(high, low) || (high >>> 32 != 0 && low == 0);
  }

  public static Value value(ValueKind kind, long high, long low) {
    if (kind == ValueKind.ADDRESS) {
      return Value.ofAddress(high, low);
    }
    return new Value(kind, 0, isNarrow(high, low) ? low & 0xFFFF_FFFFL : high, null);
  }

  /** Adds weights, which are not negative; the sum saturates at 2^63 − 1. */
  public static long plus(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
