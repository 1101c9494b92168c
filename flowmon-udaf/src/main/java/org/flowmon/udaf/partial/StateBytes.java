package org.flowmon.udaf.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * The bytes of the high level's state and of window parts, version 3; {@code
 * docs/format/partial-groups.md} is the specification, this class owns the offsets.
 *
 * <pre>
 *   0        4     6   8        12       16         24            32     40       44       48
 *   +--------+-----+---+--------+--------+----------+-------------+------+--------+--------+
 *   | magic  | ver | 0 | length | crc32c | query id | fingerprint | time | words  | blocks |
 *   +--------+-----+---+--------+--------+----------+-------------+------+--------+--------+
 *   48: words of 8 bytes, then blocks: length u32, partial groups
 * </pre>
 */
public final class StateBytes {
  /** "FLWT": the tables of a key group. */
  private static final int TABLES = 'F' | 'L' << 8 | 'W' << 16 | 'T' << 24;

  /** "FLWW": the part of a window. */
  private static final int PART = 'F' | 'L' << 8 | 'W' << 16 | 'W' << 24;

  private static final int VERSION = 3;

  /** The first version whose parts have the bytes charged for function states. */
  private static final int WITH_STATE_BYTES = 3;

  /** The oldest version: it has no samples of groups. */
  private static final int OLDEST_VERSION = 1;

  private static final int VERSION_AT = 4;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final int QUERY_AT = 16;
  private static final int FINGERPRINT_AT = 24;
  private static final int TIME_AT = 32;
  private static final int WORDS_AT = 40;
  private static final int BLOCKS_AT = 44;
  private static final int HEADER_BYTES = 48;

  private final int version;
  private final long time;
  private final long[] words;
  private final List<byte[]> blocks;

  private StateBytes(int version, long time, long[] words, List<byte[]> blocks) {
    this.version = version;
    this.time = time;
    this.words = words;
    this.blocks = blocks;
  }

  /** Of tables the watermark, of a part the window's end. */
  public long time() {
    return time;
  }

  public boolean hasSamples() {
    return version > OLDEST_VERSION;
  }

  /** For a part, whether it has the bytes charged for function states. */
  public boolean hasStateBytes() {
    return version >= WITH_STATE_BYTES;
  }

  /** The samples of tables; the group numbers and totals of a part. */
  public long[] words() {
    return words;
  }

  /** Bytes of partial groups. */
  public List<byte[]> blocks() {
    return blocks;
  }

  public static byte[] tables(
      long queryId, long fingerprint, long watermark, long[] words, List<byte[]> blocks) {
    return write(TABLES, queryId, fingerprint, new StateBytes(VERSION, watermark, words, blocks));
  }

  public static byte[] part(
      long queryId, long fingerprint, long windowEnd, long[] words, List<byte[]> blocks) {
    return write(PART, queryId, fingerprint, new StateBytes(VERSION, windowEnd, words, blocks));
  }

  private static byte[] write(int magic, long queryId, long fingerprint, StateBytes state) {
    long length = HEADER_BYTES + 8L * state.words.length;
    for (byte[] block : state.blocks) {
      length += 4 + block.length;
    }
    if (length > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException("a state of " + length + " bytes does not fit an array");
    }
    byte[] bytes = new byte[(int) length];
    LittleEndian.putInt(bytes, 0, magic);
    LittleEndian.putU16(bytes, VERSION_AT, VERSION);
    LittleEndian.putInt(bytes, LENGTH_AT, bytes.length);
    LittleEndian.putLong(bytes, QUERY_AT, queryId);
    LittleEndian.putLong(bytes, FINGERPRINT_AT, fingerprint);
    LittleEndian.putLong(bytes, TIME_AT, state.time);
    LittleEndian.putInt(bytes, WORDS_AT, state.words.length);
    LittleEndian.putInt(bytes, BLOCKS_AT, state.blocks.size());
    int at = HEADER_BYTES;
    for (long word : state.words) {
      LittleEndian.putLong(bytes, at, word);
      at += 8;
    }
    for (byte[] block : state.blocks) {
      LittleEndian.putInt(bytes, at, block.length);
      System.arraycopy(block, 0, bytes, at + 4, block.length);
      at += 4 + block.length;
    }
    LittleEndian.putInt(bytes, CRC_AT, Crc32c.around(bytes, CRC_AT));
    return bytes;
  }

  public static StateBytes openTables(byte[] bytes, long queryId, long fingerprint) {
    check(bytes, TABLES, "the tables of a key group");
    requireQuery(bytes, queryId);
    return read(bytes, fingerprint, 0);
  }

  public static StateBytes openPart(byte[] bytes, long fingerprint, int words) {
    check(bytes, PART, "the part of a window");
    return read(bytes, fingerprint, words);
  }

  /** For unopened bytes. */
  public static long queryId(byte[] bytes) {
    return LittleEndian.getLong(bytes, QUERY_AT);
  }

  /** As {@link #time()}, for bytes that are not opened yet. */
  public static long time(byte[] bytes) {
    requireHeader(bytes, "the part of a window");
    return LittleEndian.getLong(bytes, TIME_AT);
  }

  private static void requireHeader(byte[] bytes, String what) {
    if (bytes.length < HEADER_BYTES) {
      throw new PartialFormatException(
          what + ": expected at least " + HEADER_BYTES + " bytes, found " + bytes.length);
    }
  }

  private static void requireQuery(byte[] bytes, long queryId) {
    if (queryId(bytes) != queryId) {
      throw new PartialFormatException(
          "state of query " + queryId(bytes) + ", expected that of " + queryId);
    }
  }

  private static void check(byte[] bytes, int magic, String what) {
    requireHeader(bytes, what);
    if (LittleEndian.getInt(bytes, 0) != magic) {
      throw new PartialFormatException(
          "not " + what + ": its first four bytes are those of another format");
    }
    int version = LittleEndian.getU16(bytes, VERSION_AT);
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new PartialFormatException(
          what
              + " of version "
              + version
              + ", this reads versions "
              + OLDEST_VERSION
              + " \u2026 "
              + VERSION);
    }
    int length = LittleEndian.getInt(bytes, LENGTH_AT);
    if (length != bytes.length) {
      throw new PartialFormatException(
          what + " says it has " + length + " bytes, found " + bytes.length);
    }
    if (LittleEndian.getInt(bytes, CRC_AT) != Crc32c.around(bytes, CRC_AT)) {
      throw new PartialFormatException(
          "the checksum of " + what + " does not match: the bytes are damaged");
    }
  }

  private static StateBytes read(byte[] bytes, long fingerprint, int expectedWords) {
    if (LittleEndian.getLong(bytes, FINGERPRINT_AT) != fingerprint) {
      throw new PartialFormatException("the groups have another layout than the query's");
    }
    int words = LittleEndian.getInt(bytes, WORDS_AT);
    int blocks = LittleEndian.getInt(bytes, BLOCKS_AT);
    int version = LittleEndian.getU16(bytes, VERSION_AT);
    boolean fits = version > OLDEST_VERSION ? words >= expectedWords : words == expectedWords;
    if (!fits || blocks < 0 || HEADER_BYTES + 8L * words + 4L * blocks > bytes.length) {
      throw new PartialFormatException(
          words
              + " words and "
              + blocks
              + " blocks in "
              + bytes.length
              + " bytes, expected "
              + expectedWords
              + " words");
    }
    long[] values = new long[words];
    int at = HEADER_BYTES;
    for (int w = 0; w < words; w++, at += 8) {
      values[w] = LittleEndian.getLong(bytes, at);
    }
    List<byte[]> contents = new ArrayList<>();
    for (int b = 0; b < blocks; b++) {
      int length = bytes.length - at < 4 ? -1 : LittleEndian.getInt(bytes, at);
      if (length < 0 || length > bytes.length - at - 4) {
        throw new PartialFormatException("block " + b + " at " + at + " does not fit the bytes");
      }
      contents.add(Arrays.copyOfRange(bytes, at + 4, at + 4 + length));
      at += 4 + length;
    }
    if (at != bytes.length) {
      throw new PartialFormatException(
          "the blocks end at " + at + ", the bytes at " + bytes.length);
    }
    return new StateBytes(version, LittleEndian.getLong(bytes, TIME_AT), values, contents);
  }
}
