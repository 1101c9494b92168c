package org.flowmon.archive.segment.format;

/** Numbers of packed values that one unaligned long holds after up to seven bits of others. */
public final class PackedWidths {
  /** Maximum bits of a number for a long to hold two. */
  public static final int OF_TWO = (Long.SIZE - 7) / 2;

  /** Maximum bits of a number for a long to hold three. */
  public static final int OF_THREE = (Long.SIZE - 7) / 3;

  private PackedWidths() {}
}
