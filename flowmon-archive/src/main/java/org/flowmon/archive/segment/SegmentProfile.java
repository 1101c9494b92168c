package org.flowmon.archive.segment;

import java.util.Locale;

/** The purpose of a segment's layout. */
public enum SegmentProfile {
  /** Any value of any row is read in constant time: nothing is compressed. */
  LOOKUP,
  /** Compressed pages of rows: fewer bytes, but reading a row decodes its page. */
  COMPACT;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
