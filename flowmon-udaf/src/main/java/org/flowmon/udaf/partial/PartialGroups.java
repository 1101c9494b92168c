package org.flowmon.udaf.partial;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.state.StateReader;
import org.jspecify.annotations.Nullable;

/**
 * Partial states of the groups of one query, grouping, pane and key group, as bytes ({@code
 * docs/format/partial-groups.md}). Merging all, in any order, gives the pane's exact groups.
 * Immutable; a group may occur more than once.
 */
public final class PartialGroups {
  private final byte[] bytes;
  private final int groups;
  // By column: the place of its encoding.
  private final int[] columns;

  private PartialGroups(byte[] bytes, int groups, int columns) {
    this.bytes = bytes;
    this.groups = groups;
    this.columns = new int[columns];
  }

  /**
   * Opens untrusted bytes, given away; checks everything first.
   *
   * @throws PartialFormatException saying what was found and what was expected
   */
  public static PartialGroups open(byte[] bytes) {
    if (bytes.length < PartialLayout.SHORT_HEADER_BYTES) {
      throw new PartialFormatException(
          "partial groups have at least "
              + PartialLayout.SHORT_HEADER_BYTES
              + " bytes, found "
              + bytes.length);
    }
    if (LittleEndian.getInt(bytes, 0) != PartialLayout.MAGIC) {
      throw new PartialFormatException("not partial groups: the first four bytes are not 'FLWP'");
    }
    int version = LittleEndian.getU16(bytes, PartialLayout.VERSION_AT);
    if (version < PartialLayout.OLDEST_VERSION || version > PartialLayout.VERSION) {
      throw new PartialFormatException(
          "partial groups of version "
              + version
              + ", this reads versions "
              + PartialLayout.OLDEST_VERSION
              + " \u2026 "
              + PartialLayout.VERSION);
    }
    int length = LittleEndian.getInt(bytes, PartialLayout.LENGTH_AT);
    if (length != bytes.length) {
      throw new PartialFormatException(
          "partial groups say they have " + length + " bytes, found " + bytes.length);
    }
    if (LittleEndian.getInt(bytes, PartialLayout.CRC_AT)
        != Crc32c.around(bytes, PartialLayout.CRC_AT)) {
      throw new PartialFormatException(
          "the checksum of partial groups does not match: the bytes are damaged");
    }
    int groups = LittleEndian.getInt(bytes, PartialLayout.GROUPS_AT);
    int columns = LittleEndian.getU16(bytes, PartialLayout.COLUMNS_AT);
    if (groups < 0 || groups > PartialLayout.MAX_GROUPS || columns < 1 || columns > bytes.length) {
      throw new PartialFormatException(
          groups
              + " groups of "
              + columns
              + " columns, expected 0 … "
              + PartialLayout.MAX_GROUPS
              + " groups of at least 1 column");
    }
    PartialGroups opened = new PartialGroups(bytes, groups, columns);
    opened.checkColumns(headerBytes(version));
    return opened;
  }

  private static int headerBytes(int version) {
    return version < PartialLayout.DUE_VERSION
        ? PartialLayout.SHORT_HEADER_BYTES
        : PartialLayout.HEADER_BYTES;
  }

  private void checkColumns(int header) {
    long at = header;
    for (int c = 0; c < columns.length; c++) {
      requireBytes(c, at, 1);
      columns[c] = (int) at;
      int encoding = bytes[(int) at++];
      long size =
          switch (encoding) {
            case PartialLayout.CONSTANT -> 8;
            case PartialLayout.OFFSET_1, PartialLayout.OFFSET_2, PartialLayout.OFFSET_4 ->
                8 + (long) encoding * groups;
            case PartialLayout.PLAIN -> 8L * groups;
            case PartialLayout.TEXT -> {
              requireBytes(c, at, 4L * (groups + 1));
              yield 4L * (groups + 1) + textBytes(c, (int) at);
            }
            case PartialLayout.STATES -> {
              requireBytes(c, at, 4L * (groups + 1));
              yield 4L * (groups + 1) + stateBytes(c, (int) at);
            }
            default ->
                throw new PartialFormatException(
                    "column " + c + " has the unknown encoding " + encoding);
          };
      requireBytes(c, at, size);
      at += size;
    }
    if (at != bytes.length) {
      throw new PartialFormatException(
          "the columns end at " + at + ", the bytes at " + bytes.length);
    }
  }

  private void requireBytes(int column, long at, long size) {
    if (at + size > bytes.length) {
      throw new PartialFormatException(
          "column "
              + column
              + " needs "
              + size
              + " bytes at "
              + at
              + ", the bytes end at "
              + bytes.length);
    }
  }

  private int textBytes(int column, int offsets) {
    return lastOffset(column, offsets, "text", FlowBatch.MAX_TEXT_BYTES);
  }

  private int stateBytes(int column, int offsets) {
    return lastOffset(column, offsets, "state", Integer.MAX_VALUE);
  }

  private int lastOffset(int column, int offsets, String what, int most) {
    int previous = 0;
    for (int i = 0; i <= groups; i++) {
      int offset = LittleEndian.getInt(bytes, offsets + 4 * i);
      if (offset < previous || offset - previous > most || (i == 0 && offset != 0)) {
        throw new PartialFormatException(
            "column "
                + column
                + ": "
                + what
                + " offset "
                + offset
                + " of group "
                + i
                + " is out of order or range");
      }
      previous = offset;
    }
    return previous;
  }

  public long queryId() {
    return LittleEndian.getLong(bytes, PartialLayout.QUERY_AT);
  }

  /** Microseconds. */
  public long paneStart() {
    return LittleEndian.getLong(bytes, PartialLayout.PANE_AT);
  }

  /** End of the first window of these groups: their flows were late for the pane's earlier ones. */
  public long fromWindowEnd() {
    return LittleEndian.getLong(bytes, PartialLayout.FROM_WINDOW_AT);
  }

  /**
   * The tick from which they count, {@link WindowSpec#due}; afterwards {@link #paneStart}, which
   * precedes all ticks. In older versions the end of the first window.
   */
  public long due() {
    return version() < PartialLayout.DUE_VERSION
        ? fromWindowEnd()
        : LittleEndian.getLong(bytes, PartialLayout.DUE_AT);
  }

  private int version() {
    return LittleEndian.getU16(bytes, PartialLayout.VERSION_AT);
  }

  public int keyGroup() {
    return LittleEndian.getU16(bytes, PartialLayout.KEY_GROUP_AT);
  }

  /** The number of the grouping in the query: 0 if there is only one. */
  public int grouping() {
    return version() == PartialLayout.OLDEST_VERSION
        ? 0
        : LittleEndian.getU16(bytes, PartialLayout.GROUPING_AT);
  }

  public int groups() {
    return groups;
  }

  /** The fingerprint of the layout of its groups. */
  public long fingerprint() {
    return LittleEndian.getLong(bytes, PartialLayout.FINGERPRINT_AT);
  }

  int columns() {
    return columns.length;
  }

  boolean isText(int column) {
    return bytes[columns[column]] == PartialLayout.TEXT;
  }

  boolean isStates(int column) {
    return bytes[columns[column]] == PartialLayout.STATES;
  }

  /** The state of a group in a column of states; null if it has none. */
  @Nullable StateReader state(int column, int group) {
    int offsets = columns[column] + 1;
    int start = LittleEndian.getInt(bytes, offsets + 4 * group);
    int end = LittleEndian.getInt(bytes, offsets + 4 * (group + 1));
    int states = offsets + 4 * (groups + 1);
    return start == end
        ? null
        : new StateReader(bytes, states + start, states + end, "a state in partial groups");
  }

  /** Reads words of {@code count} groups from group {@code from} of a column that is not text. */
  void readWords(int column, int from, int count, long[] out) {
    int at = columns[column];
    int encoding = bytes[at++];
    long base = encoding == PartialLayout.PLAIN ? 0 : LittleEndian.getLong(bytes, at);
    switch (encoding) {
      case PartialLayout.CONSTANT -> Arrays.fill(out, 0, count, base);
      case PartialLayout.OFFSET_1 -> {
        for (int i = 0; i < count; i++) {
          out[i] = base + (bytes[at + 8 + from + i] & 0xFF);
        }
      }
      case PartialLayout.OFFSET_2 -> {
        for (int i = 0; i < count; i++) {
          out[i] = base + LittleEndian.getU16(bytes, at + 8 + 2 * (from + i));
        }
      }
      case PartialLayout.OFFSET_4 -> {
        for (int i = 0; i < count; i++) {
          out[i] = base + (LittleEndian.getInt(bytes, at + 8 + 4 * (from + i)) & 0xFFFF_FFFFL);
        }
      }
      case PartialLayout.PLAIN -> {
        for (int i = 0; i < count; i++) {
          out[i] = LittleEndian.getLong(bytes, at + 8 * (from + i));
        }
      }
      default ->
          throw new PartialFormatException(
              "column " + column + " holds texts or states, expected words");
    }
  }

  /** The text of a group in a text column; empty if the key is NULL. */
  String text(int column, int group) {
    int offsets = columns[column] + 1;
    int start = LittleEndian.getInt(bytes, offsets + 4 * group);
    int end = LittleEndian.getInt(bytes, offsets + 4 * (group + 1));
    int texts = offsets + 4 * (groups + 1);
    return new String(bytes, texts + start, end - start, StandardCharsets.UTF_8);
  }
}
