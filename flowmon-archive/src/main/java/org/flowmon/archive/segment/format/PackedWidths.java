package org.flowmon.archive.segment.format;

/** Numbers of packed values that one unaligned long holds after up to seven bits of others. */
public final class PackedWidths {
  public static final int OF_TWO = (Long.SIZE - 7) / 2;

  public static final int OF_THREE = (Long.SIZE - 7) / 3;

  private PackedWidths() {}
}
