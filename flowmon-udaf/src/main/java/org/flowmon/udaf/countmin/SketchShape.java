package org.flowmon.udaf.countmin;

/**
 * Width, depth and hash functions of count-min sketches: those of one shape can be summed.
 * Immutable. The hashes are strongly universal multiply-shift ones (Dietzfelbinger 1996; of several
 * words Thorup, "High speed hashing for integers and strings", 2015): two items share a row's cell
 * with probability 1 / width over the coefficients. These are fixed, so an attacker who knows them
 * can craft items that share cells.
 */
public final class SketchShape {
  public static final int MIN_WIDTH = 16;
  public static final int MAX_WIDTH = 1 << 16;
  public static final int MAX_DEPTH = 8;

  /** The probability of bounds that are not certain. */
  public static final double PROBABILITY = 0.95;

  private static final long NARROW_SEED = 0x464C574D48480001L;
  private static final long WIDE_SEED = 0x464C574D48480002L;

  private final int width;
  private final int depth;
  private final NarrowSketch narrow;
  private final WideSketch wide;

  /**
   * Takes {@code width}: cells of a row: a power of two, {@link #MIN_WIDTH} … {@link #MAX_WIDTH}.
   *
   * @param depth rows of a level: 1 … {@link #MAX_DEPTH}
   */
  public SketchShape(int width, int depth) {
    this(width, depth, NARROW_SEED, WIDE_SEED);
  }

  /** A shape with hash functions other than those of states. */
  public SketchShape(int width, int depth, long narrowSeed, long wideSeed) {
    this.width = width;
    this.depth = depth;
    this.narrow = new NarrowSketch(width, depth, coefficients(narrowSeed, 2 * 3 * depth));
    this.wide = new WideSketch(width, depth, coefficients(wideSeed, 5 * 4 * depth));
  }

  public int width() {
    return width;
  }

  public int depth() {
    return depth;
  }

  public NarrowSketch narrow() {
    return narrow;
  }

  public WideSketch wide() {
    return wide;
  }

  /**
   * The most above the true weight, with {@link #PROBABILITY}. A cell has on average total / width
   * of others' weight, more than c times that with a probability below 1 / c (Markov), all d rows
   * with one below c^−d (Cormode and Muthukrishnan, "An improved data stream summary: the count-min
   * sketch and its applications", 2005).
   */
  public long error(long total) {
    if (total == Long.MAX_VALUE) {
      return total; // the total is saturated: cells say nothing
    }
    return (long) Math.floor(Math.pow(1 - PROBABILITY, -1.0 / depth) * total / width);
  }

  private static long[] coefficients(long seed, int count) {
    long[] numbers = new long[count];
    long state = seed;
    for (int i = 0; i < count; i++) {
      state += 0x9E3779B97F4A7C15L;
      long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
      z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
      numbers[i] = z ^ z >>> 31;
    }
    return numbers;
  }
}
