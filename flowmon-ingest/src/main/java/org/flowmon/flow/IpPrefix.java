package org.flowmon.flow;

/**
 * Addresses of one family with the same first {@code length} bits (0 … 32 or 0 … 128), host bits
 * zero in {@code first}: {@code 0.0.0.0/0} is all of IPv4; {@code ::/0} is all of IPv6 and no IPv4.
 */
public record IpPrefix(IpAddress first, int length) {

  public IpPrefix {
    int max = first.isIpv4() ? 32 : 128;
    if (length < 0 || length > max) {
      throw new IllegalArgumentException("prefix length " + length + " is outside 0…" + max);
    }
    int bits = first.isIpv4() ? length + 96 : length;
    first = new IpAddress(first.hi() & highMask(bits), first.lo() & lowMask(bits));
  }

  /** {@code address/length}, or an address alone for itself. */
  public static IpPrefix parse(String text) {
    int slash = text.indexOf('/');
    IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
    int max = address.isIpv4() ? 32 : 128;
    if (slash < 0) {
      return new IpPrefix(address, max);
    }
    String digits = text.substring(slash + 1);
    if (digits.isEmpty()
        || digits.length() > 3
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "not a prefix length in '" + text + "': expected 0…" + max);
    }
    return new IpPrefix(address, Integer.parseInt(digits));
  }

  /** The high long of a mask of {@code bits} (0 … 128) leading ones. */
  public static long highMask(int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? -1L : -1L << (64 - bits);
  }

  public static long lowMask(int bits) {
    return bits <= 64 ? 0 : bits >= 128 ? -1L : -1L << (128 - bits);
  }

  /** Bits counted over the 16 bytes (IPv4: 96 more). */
  public int bits128() {
    return first.isIpv4() ? length + 96 : length;
  }

  public IpAddress last() {
    int bits = bits128();
    return new IpAddress(first.hi() | ~highMask(bits), first.lo() | ~lowMask(bits));
  }

  public boolean contains(long hi, long lo) {
    if (IpAddress.isIpv4(hi, lo) != first.isIpv4()) {
      return false;
    }
    int bits = bits128();
    return (hi & highMask(bits)) == first.hi() && (lo & lowMask(bits)) == first.lo();
  }

  @Override
  public String toString() {
    return first + "/" + length;
  }
}
