package org.flowmon.archive.segment.format;

/** How many packed numbers, behind up to seven bits of others, one unaligned long holds. */
public final class PackedWidths {
  /** Bits of a number at most, so that a long holds two. */
  public static final int OF_TWO = (Long.SIZE - 7) / 2;

  /** Bits of a number at most, so that a long holds three. */
  public static final int OF_THREE = (Long.SIZE - 7) / 3;

  private PackedWidths() {}
}
