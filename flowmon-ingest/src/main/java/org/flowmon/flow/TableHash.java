package org.flowmon.flow;

import java.security.SecureRandom;
import java.util.SplittableRandom;

/**
 * The keyed hash for tables over values of flows. Its secret coefficients are drawn when the
 * process starts, so that a sender of flows cannot choose values that share a slot. For the same
 * reason it must not leave the process: nothing stored, sent or reported, not even an order, may
 * depend on it.
 *
 * <p>Each word of a key has a place, and each place has two coefficients a and b of 64 bits. With
 * the word's halves of 32 bits
 *
 * <pre>
 *   sum  = start + Σ (a + low half) · (b + high half)   mod 2^64
 *   hash = finish(sum)                                  a bijection
 * </pre>
 *
 * <p>The upper 32 bits of the sum are strongly universal: over the choice of coefficients any two
 * different keys have any two values with a probability of 2^−64 (Black and others, "UMAC: fast and
 * secure message authentication", CRYPTO 1999, for the family NH; Kaser and Lemire, "Strongly
 * universal string hashing is fast", 2014, there Multilinear-HM; Thorup, "High speed hashing for
 * integers and strings", 2015, there pair-multiply-shift). Take any n keys chosen without knowledge
 * of the coefficients. They have at most n² / 2^33 pairs of equal hashes on average, 128 for a
 * million keys. By Markov's inequality they have n² / k such pairs, enough to slow a table, with a
 * probability of at most k / 2^33. The bound includes that a factor may be 0 for one value of a
 * half, whatever the other half. It holds for keys that are chosen before anything is known of the
 * coefficients; no output reveals them.
 *
 * <p>Universality alone does not make linear probing fast: the sums of keys in an arithmetic
 * progression are an arithmetic progression, too. The finisher breaks it up. It mixes each half of
 * the sum into the other, so that the lower bits of the hash, which choose the slot, depend on the
 * strongly universal ones.
 *
 * <p>The system property {@value #SEED_PROPERTY} derives the coefficients from a number instead,
 * for tests and benchmarks that must be repeatable. It removes the protection.
 */
public final class TableHash {
  /** Names the number from which the coefficients are derived. */
  public static final String SEED_PROPERTY = "flowmon.table-hash.seed";

  /** The most words of a key. */
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

  /** The hash of a key of one word. */
  public static long of(long word) {
    return finish(START + term(word, A_0, B_0));
  }

  /** The hash of a key of two words, usually an address. */
  public static long of(long first, long second) {
    return finish(START + term(first, A_0, B_0) + term(second, A_1, B_1));
  }

  /**
   * The hash of a text. Its length is unbounded, so it does not belong to the family above. It
   * multiplies four UTF-16 code units at a time by a secret factor to 128 bits and folds the halves
   * into one word, like wyhash and rapidhash.
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

  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ (a * b);
  }

  /** The sum of a key without words; {@link #add} and {@link #finish} make its hash. */
  public static long start() {
    return START;
  }

  /**
   * Adds a word to a sum.
   *
   * @param place of the word in its key: 0 … {@link #MAX_WORDS} − 1, each once
   */
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

  /** The hash of a sum. */
  public static long finish(long sum) {
    long spread = (sum ^ (sum >>> 32)) * FINISHER;
    return spread ^ (spread >>> 32);
  }

  /**
   * Hashes keys of two words, like {@link #of(long, long)}. Each step has its own loop, because the
   * JIT compiler vectorizes these, but not a single loop over all steps.
   */
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

  /** Adds a word to each of many keys' sums, like {@link #add(long, int, long)}. */
  public static void add(long[] sums, int place, long[] words, int n) {
    long a = A[place];
    long b = B[place];
    for (int i = 0; i < n; i++) {
      sums[i] += term(words[i], a, b);
    }
  }
}
