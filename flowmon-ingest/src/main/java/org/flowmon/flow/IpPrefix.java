package org.flowmon.flow;

/**
 * A range of addresses of one family that share their first bits: {@code 0.0.0.0/0} is all of IPv4,
 * {@code ::/0} is all of IPv6 and holds no IPv4 address.
 *
 * @param first the first address, its host bits zero
 * @param length bits of the prefix within its family: 0 … 32 for IPv4, 0 … 128 for IPv6
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

  /** Parses {@code address/length}; an address alone is a prefix that holds only that address. */
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

  /** The low long of a mask of {@code bits} (0 … 128) leading ones. */
  public static long lowMask(int bits) {
    return bits <= 64 ? 0 : bits >= 128 ? -1L : -1L << (128 - bits);
  }

  /** Bits of the prefix counted over the 16 bytes (IPv4: 96 more). */
  public int bits128() {
    return first.isIpv4() ? length + 96 : length;
  }

  /** The last address. */
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
