package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;

/** Random numbers for the parts of traffic, independent for each seed and part. */
public final class Seed {
  private Seed() {}

  /**
   * Mixes the seed first: generators whose seeds differ by a multiple of SplittableRandom's gamma
   * are one stream, shifted, and traffic made of them soon has the same flows.
   */
  public static SplittableRandom random(long seed, long part) {
    return new SplittableRandom(new SplittableRandom(seed).nextLong() + part);
  }
}
