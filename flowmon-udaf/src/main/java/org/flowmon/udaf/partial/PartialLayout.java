package org.flowmon.udaf.partial;

/**
 * The bytes of partial groups, version 4; {@code docs/format/partial-groups.md} is the
 * specification, this class owns the offsets.
 *
 * <pre>
 *   0        4     6           8        12       16
 *   +--------+-----+-----------+--------+--------+
 *   | "FLWP" | ver | key group | length | groups |
 *   +--------+-----+-----------+--------+--------+
 *   16         24           32                40            48        50         52
 *   | query id | pane start | from window end | fingerprint | columns | grouping | crc32c |
 *   56
 *   +-----+
 *   | due |
 *   +-----+
 *   64: columns, one after the other: encoding u8, then as the encoding says
 * </pre>
 */
public final class PartialLayout {
  static final int MAGIC = 'F' | 'L' << 8 | 'W' << 16 | 'P' << 24;

  static final int VERSION = 4;

  /** The version written for groups without function states; otherwise as {@link #VERSION}. */
  static final int WORDS_VERSION = 3;

  /** The oldest version: it has no number of the grouping, which is always 0. */
  static final int OLDEST_VERSION = 1;

  /** The first version with the tick from which groups count. */
  static final int DUE_VERSION = 3;

  static final int VERSION_AT = 4;
  static final int KEY_GROUP_AT = 6;
  static final int LENGTH_AT = 8;
  static final int GROUPS_AT = 12;
  public static final int QUERY_AT = 16;
  static final int PANE_AT = 24;
  static final int FROM_WINDOW_AT = 32;
  static final int FINGERPRINT_AT = 40;
  static final int COLUMNS_AT = 48;
  static final int GROUPING_AT = 50;
  public static final int CRC_AT = 52;
  static final int DUE_AT = 56;
  static final int HEADER_BYTES = 64;

  static final int SHORT_HEADER_BYTES = 56;

  static final int MAX_GROUPS = 1 << 16;

  /** One value, the same for every group. */
  static final int CONSTANT = 0;

  /** A base, then unsigned offsets from it of 1, 2 or 4 bytes a group. */
  static final int OFFSET_1 = 1;

  static final int OFFSET_2 = 2;
  static final int OFFSET_4 = 4;

  /** 8 bytes a group. */
  static final int PLAIN = 8;

  /** Offsets of 4 bytes, one more than groups, then UTF-8. */
  static final int TEXT = 9;

  /** Offsets of 4 bytes, one more than groups, then states of a function. */
  static final int STATES = 10;

  private PartialLayout() {}
}
