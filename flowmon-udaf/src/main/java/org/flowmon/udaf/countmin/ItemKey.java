package org.flowmon.udaf.countmin;

import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * An item's 16 bytes ({@code docs/format/states.md}). Addresses are their own keys; numbers to 2^32
 * − 1 are IPv4 addresses, so that ports, AS numbers and addresses share one hierarchy; others are
 * the high word, with a low one of 0.
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

  public static boolean isOf(ValueKind kind, long high, long low) {
    return kind == ValueKind.ADDRESS || isNarrow(high, low) || (high >>> 32 != 0 && low == 0);
  }

  public static Value value(ValueKind kind, long high, long low) {
    if (kind == ValueKind.ADDRESS) {
      return Value.ofAddress(high, low);
    }
    return Value.of(kind, isNarrow(high, low) ? low & 0xFFFF_FFFFL : high);
  }

  /** Adds weights, which are not negative; the sum saturates at 2^63 − 1. */
  public static long plus(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
