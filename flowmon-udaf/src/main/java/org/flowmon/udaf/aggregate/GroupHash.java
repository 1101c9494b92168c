package org.flowmon.udaf.aggregate;

/** Hash of group keys, fixed as it decides key groups ({@code docs/format/partial-groups.md}). */
public final class GroupHash {
  public static final long SEED = 0x2545F4914F6CDD1DL;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long FINISHER = 0xD6E8FEB86659FD93L;

  private GroupHash() {}

  public static long mix(long hash, long word) {
    return (Long.rotateLeft(hash, 25) ^ word) * MULTIPLIER;
  }

  /** Spreads the mixed bits over the whole hash. */
  public static long finish(long hash) {
    long spread = (hash ^ (hash >>> 32)) * FINISHER;
    return spread ^ (spread >>> 32);
  }

  /** The word of a text: its UTF-16 code units, mixed. */
  public static long ofText(String text) {
    long hash = SEED;
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash, text.charAt(i));
    }
    return finish(hash);
  }

  /** The key group of a hash: 0 … maxParallelism − 1, from its high 32 bits. */
  public static int keyGroup(long hash, int maxParallelism) {
    return (int) (((hash >>> 32) * maxParallelism) >>> 32);
  }
}
