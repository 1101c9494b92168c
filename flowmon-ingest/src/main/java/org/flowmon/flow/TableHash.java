package org.flowmon.flow;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * The keyed hash for tables over values of flows. Its secret coefficients are drawn at the start of
 * the process, so that a sender of flows cannot choose values that share a slot. So it must not
 * leave the process: nothing stored, sent or reported, not even an order, may depend on it.
 *
 * <p>Each word of a key has a place with two coefficients a and b of 64 bits. With its 32-bit
 * halves
 *
 * <pre>
 *   sum  = start + Σ (a + low half) · (b + high half)   mod 2^64
 *   hash = finish(sum)                                  a bijection
 * </pre>
 *
 * <p>The sum's upper 32 bits are strongly universal: any two different keys have any two values
 * with a probability of 2^−64 (Black and others, "UMAC: fast and secure message authentication",
 * CRYPTO 1999, family NH; Kaser and Lemire, "Strongly universal string hashing is fast", 2014,
 * Multilinear-HM; Thorup, "High speed hashing for integers and strings", 2015,
 * pair-multiply-shift). Any n keys chosen without knowledge of the coefficients, which no output
 * reveals, have at most n² / 2^33 pairs of equal hashes on average, 128 for a million keys, and by
 * Markov n² / k, enough to slow a table, with a probability of at most k / 2^33. That includes
 * factors of 0, for one value of a half, whatever the other.
 *
 * <p>Arithmetic progressions of keys have such sums, too, which slow linear probing. The finisher
 * breaks them up: it mixes each half of the sum into the other, so that the lower bits, which
 * choose the slot, depend on the strongly universal ones.
 *
 * <p>The property {@value #SEED_PROPERTY} derives the coefficients from a number instead, for
 * repeatable tests and benchmarks. It removes the protection.
 */
public final class TableHash {
  public static final String SEED_PROPERTY = "flowmon.table-hash.seed";

  public static final int MAX_WORDS = 64;

  private static final long FINISHER = 0xD6E8FEB86659FD93L;
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  private static final long[] A = new long[MAX_WORDS];
  private static final long[] B = new long[MAX_WORDS];
  private static final long START;
  private static final long OF_NULLS;
  // The first places again, as constants for compiled code.
  private static final long A_0;
  private static final long B_0;
  private static final long A_1;
  private static final long B_1;

  static {
    long[] drawn = draw(2 * MAX_WORDS + 2);
    START = drawn[0];
    OF_NULLS = drawn[1] | 1;
    for (int w = 0; w < MAX_WORDS; w++) {
      A[w] = drawn[2 + 2 * w];
      B[w] = drawn[3 + 2 * w];
    }
    A_0 = A[0];
    B_0 = B[0];
    A_1 = A[1];
    B_1 = B[1];
  }

  private TableHash() {}

  private static long[] draw(int count) {
    String seed = System.getProperty(SEED_PROPERTY);
    return seed == null
        ? new SecureRandom().longs(count).toArray()
        : new SplittableRandom(Long.parseLong(seed)).longs(count).toArray();
  }

  public static long of(long word) {
    return finish(START + term(word, A_0, B_0));
  }

  public static long of(long first, long second) {
    return finish(START + term(first, A_0, B_0) + term(second, A_1, B_1));
  }

  /**
   * Multiplies four UTF-16 units at a time by a secret factor and folds the 128 bits to 64, like
   * wyhash and rapidhash: a text's length is unbounded, so it is not of the family above.
   */
  public static long of(String text) {
    long hash = START;
    int length = text.length();
    for (int i = 0; i < length; i += 4) {
      long word = 0;
      for (int c = i; c < Math.min(length, i + 4); c++) {
        word = word << 16 | text.charAt(c);
      }
      hash = fold(hash ^ word, A_0) + B_0;
    }
    return finish(fold(hash ^ length, A_1));
  }

  /** As {@link #of(String)}, of eight bytes at a time; the two differ for one text. */
  public static long of(byte[] bytes, int from, int to) {
    long hash = START;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      hash = fold(hash ^ LittleEndian.getLong(bytes, at), A_0) + B_0;
    }
    if (at < to) {
      long word = 0;
      if (to - from >= Long.BYTES) {
        word = LittleEndian.getLong(bytes, to - Long.BYTES) >>> (8 * (at + Long.BYTES - to));
      } else {
        for (int i = to - 1; i >= at; i--) {
          word = word << 8 | (bytes[i] & 0xFF);
        }
      }
      hash = fold(hash ^ word, A_0) + B_0;
    }
    return finish(fold(hash ^ (to - from), A_1));
  }

  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ (a * b);
  }

  public static long start() {
    return START;
  }

  /** Adds the word at a place of its key: 0 … {@link #MAX_WORDS} − 1, each once. */
  public static long add(long sum, int place, long word) {
    return sum + term(word, A[place], B[place]);
  }

  /** Adds a mask of NULL words to a sum; 0 leaves it unchanged. */
  public static long addNulls(long sum, long nulls) {
    return sum + nulls * OF_NULLS;
  }

  private static long term(long word, long a, long b) {
    return (a + (word & LOW_HALF)) * (b + (word >>> 32));
  }

  public static long finish(long sum) {
    long spread = (sum ^ (sum >>> 32)) * FINISHER;
    return spread ^ (spread >>> 32);
  }

  /** Like {@link #of(long, long)}, with a loop for each step, as the JIT vectorizes only these. */
  public static void ofPairs(long[] first, long[] second, int n, long[] hashes) {
    for (int i = 0; i < n; i++) {
      hashes[i] = START + term(first[i], A_0, B_0);
    }
    for (int i = 0; i < n; i++) {
      hashes[i] += term(second[i], A_1, B_1);
    }
    for (int i = 0; i < n; i++) {
      hashes[i] = finish(hashes[i]);
    }
  }

  public static void add(long[] sums, int place, long[] words, int n) {
    long a = A[place];
    long b = B[place];
    for (int i = 0; i < n; i++) {
      sums[i] += term(words[i], a, b);
    }
  }
}
