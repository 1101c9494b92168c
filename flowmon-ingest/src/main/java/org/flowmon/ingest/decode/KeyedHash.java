package org.flowmon.ingest.decode;

import java.security.SecureRandom;

/**
 * Hashes by a secret of this process, so that nobody outside can choose addresses and domains that
 * fall into one place of a table. Not for what is stored or sent.
 */
final class KeyedHash {
  private static final long FIRST;
  private static final long SECOND;

  static {
    SecureRandom random = new SecureRandom();
    FIRST = random.nextLong();
    SECOND = random.nextLong();
  }

  private KeyedHash() {}

  /** The hash of two longs: both halves of the product of what the secret makes of them. */
  static int of(long a, long b) {
    long first = a ^ FIRST;
    long second = b ^ SECOND;
    long mixed = first * second ^ Math.multiplyHigh(first, second);
    // Where one factor is 0 the other does not count: that takes a guess of 64 bits.
    mixed = (mixed ^ FIRST) * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }
}
