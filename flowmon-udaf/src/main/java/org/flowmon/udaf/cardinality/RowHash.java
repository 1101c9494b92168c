package org.flowmon.udaf.cardinality;

import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * The stable 64-bit hash of a row's values: states depend on it ({@code docs/format/states.md}).
 * Rows of one word (number, time, IPv4 address) have unique hashes, except that 0 becomes 1.
 */
final class RowHash {
  private static final long SEED = 0x2545F4914F6CDD1DL;
  private static final long CANONICAL_NAN = 0x7FF8000000000000L;
  private static final long MINUS_ZERO = 1L << 63;

  private RowHash() {}

  /** Mixes in one more word; for each hash a bijection of words. */
  static long mix(long hash, long word) {
    long z = Long.rotateLeft(hash, 27) ^ word;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  static boolean hasNull(Vector[] arguments, int i) {
    for (Vector argument : arguments) {
      if (!argument.allValid() && !argument.isValid(i)) {
        return true;
      }
    }
    return false;
  }

  /** Never 0. */
  static long of(Vector[] arguments, int i) {
    long hash = SEED;
    for (Vector argument : arguments) {
      long[] high = argument.high();
      if (high != null) {
        hash = mix(hash, high[i]);
      }
      String[] texts = argument.texts();
      long value = argument.values()[i];
      if (texts != null) {
        hash = mix(hash, ofText(texts[i]));
      } else {
        hash = mix(hash, argument.kind() == ValueKind.DOUBLE ? ofDouble(value) : value);
      }
    }
    return hash == 0 ? 1 : hash;
  }

  /** Gives both zeros one hash, and all NaNs one hash. */
  private static long ofDouble(long bits) {
    if (bits == MINUS_ZERO) {
      return 0;
    }
    return Double.isNaN(Double.longBitsToDouble(bits)) ? CANONICAL_NAN : bits;
  }

  private static long ofText(String text) {
    long hash = SEED;
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash, text.charAt(i));
    }
    return hash;
  }
}
