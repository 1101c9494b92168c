package org.flowmon.archive.segment;

import java.util.Locale;

/** What a segment's columns are laid out for. */
public enum SegmentProfile {
  /** Any value of any row is read in constant time: nothing is compressed. */
  LOOKUP,
  /** Pages of rows, compressed: fewer bytes, and a page is decoded to read a row of it. */
  COMPACT;

  /** The name in options and files. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
