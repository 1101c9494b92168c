package org.flowmon.bench.udaf;

import java.util.Locale;
import java.util.SplittableRandom;

/** The distribution of the numbers from 0. */
enum Spread {
  /** All equally often, as from a traffic generator. */
  UNIFORM,
  /** By Zipf's law with exponent 1, as in networks. */
  SKEWED;

  /** Draws one of the numbers 0 … count − 1. */
  int draw(SplittableRandom random, int count) {
    return this == UNIFORM
        ? random.nextInt(count)
        : Math.min(count - 1, (int) Math.pow(count, random.nextDouble()) - 1);
  }

  /** The spread of this name in the declaration. */
  static Spread of(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }
}
