package org.flowmon.bench.udaf;

import java.util.Locale;
import java.util.SplittableRandom;

/** How often the numbers from 0 occur. */
enum Spread {
  /** All as often: what a traffic generator makes. */
  UNIFORM,
  /** By Zipf's law with exponent 1: what networks have. */
  SKEWED;

  /** One of the numbers 0 … count − 1. */
  int draw(SplittableRandom random, int count) {
    return this == UNIFORM
        ? random.nextInt(count)
        : Math.min(count - 1, (int) Math.pow(count, random.nextDouble()) - 1);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
