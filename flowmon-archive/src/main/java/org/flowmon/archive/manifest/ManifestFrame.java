package org.flowmon.archive.manifest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.flowmon.flow.bytes.Crc32c;

/**
 * The frame of commit and snapshot files ({@code docs/format/manifest.md}).
 *
 * <pre>
 *   0 'FLMC' | 4 version | 6 kind | 8 number | 16 archive id | 32 link | 36 0 | 40 time | 48 length
 *  52 sections: tag (2) 0 (2) length (4) bytes …
 *     CRC32C of all before
 * </pre>
 *
 * @param link checksum of the previous commit; of a snapshot, of the commit of its number
 * @param checksum of this file
 */
record ManifestFrame(
    Kind kind,
    long number,
    UUID archive,
    int link,
    long timeMicros,
    List<Section> sections,
    int checksum) {
  /** A commit has few segments, a snapshot all of them. */
  static final long MAX_BYTES = 1L << 30;

  static final int SEGMENT = 1;
  static final int RANGE = 2;
  static final int FILE = 3;
  static final int RETIRED = 4;
  static final int NOTE = 5;
  static final int SOURCE = 6;
  static final int REPLACED = 16;
  static final int DELETED = 17;
  static final int REMOVED = 18;
  static final int IMPORTED = 19;
  // From version 4 on:
  static final int RETENTION = 32;
  static final int CUTOFF = 33;
  static final int FIRST_ROW = 34;
  static final int EXPIRED = 35;
  static final int TRIMMED = 36;
  static final int KEYS = 37;

  private static final int MAGIC = 'F' | 'L' << 8 | 'M' << 16 | 'C' << 24;
  private static final int VERSION = 3;
  // Of files with sections of retention: a reader that does not know them would show hidden rows.
  private static final int VERSION_RETENTION = 4;
  private static final int HEADER_BYTES = 52;
  private static final int SECTION_BYTES = 8;
  private static final int FIRST_OPTIONAL_TAG = 0x8000;

  /** The kind of a file. */
  enum Kind {
    COMMIT(1, ".commit"),
    SNAPSHOT(2, ".snapshot"),
    PRUNED(3, ".pruned");

    private final int code;
    private final String suffix;

    Kind(int code, String suffix) {
      this.code = code;
      this.suffix = suffix;
    }

    String fileName(long number) {
      return String.format("%s/%020d%s", Manifest.FOLDER, number, suffix);
    }

    String suffix() {
      return suffix;
    }
  }

  /** A section of a file, {@code bytes} positioned at its first byte, little-endian. */
  record Section(int tag, ByteBuffer bytes) {}

  /** Collects sections into the bytes of a file. */
  static final class Writer {
    private final ByteBuffer head = ByteBuffer.allocate(HEADER_BYTES);
    private final List<byte[]> parts = new ArrayList<>();
    private long length;

    Writer(Kind kind, long number, UUID archive, int link, long timeMicros) {
      head.order(ByteOrder.LITTLE_ENDIAN)
          .putInt(MAGIC)
          .putShort((short) VERSION)
          .putShort((short) kind.code)
          .putLong(number)
          .putLong(archive.getMostSignificantBits())
          .putLong(archive.getLeastSignificantBits())
          .putInt(link)
          .putInt(0)
          .putLong(timeMicros);
    }

    Writer section(int tag, byte[] bytes) {
      parts.add(
          ByteBuffer.allocate(SECTION_BYTES + bytes.length)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putShort((short) tag)
              .putShort((short) 0)
              .putInt(bytes.length)
              .put(bytes)
              .array());
      length += SECTION_BYTES + bytes.length;
      if (tag >= RETENTION) {
        head.putShort(4, (short) VERSION_RETENTION);
      }
      return this;
    }

    byte[] toBytes() {
      if (length > MAX_BYTES - HEADER_BYTES - 4) {
        throw new IllegalStateException(
            "a manifest file of " + length + " bytes, at most " + MAX_BYTES);
      }
      ByteBuffer out =
          ByteBuffer.allocate(HEADER_BYTES + (int) length + 4).order(ByteOrder.LITTLE_ENDIAN);
      out.put(head.putInt(48, (int) length).array());
      parts.forEach(out::put);
      out.putInt(Crc32c.of(out.array(), 0, out.position()));
      return out.array();
    }
  }

  /** Reads a file, checksum first; {@link ManifestCorruptException} if unsound or another. */
  static ManifestFrame read(String file, byte[] bytes, Kind kind, long number) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES + 4 || in.getInt(0) != MAGIC) {
      throw corrupt(file, "header", bytes.length + " bytes that do not begin with a header 'FLMC'");
    }
    int checksum = in.getInt(bytes.length - 4);
    if (Crc32c.of(bytes, 0, bytes.length - 4) != checksum) {
      throw corrupt(
          file,
          "checksum",
          String.format(
              "CRC32C of its %d bytes is %08x, expected %08x",
              bytes.length, Crc32c.of(bytes, 0, bytes.length - 4), checksum));
    }
    int version = in.getShort(4) & 0xFFFF;
    if (version != VERSION && version != VERSION_RETENTION) {
      throw corrupt(
          file,
          "header",
          "version " + version + ", this reads " + VERSION + " and " + VERSION_RETENTION);
    }
    if (in.getShort(6) != kind.code || in.getLong(8) != number) {
      throw corrupt(
          file,
          "header",
          String.format(
              "kind %s, number %s; expected kind %s, number %s",
              in.getShort(6), in.getLong(8), kind.code, number));
    }
    return new ManifestFrame(
        kind,
        number,
        new UUID(in.getLong(16), in.getLong(24)),
        in.getInt(32),
        in.getLong(40),
        sections(file, in, in.getInt(48)),
        checksum);
  }

  private static List<Section> sections(String file, ByteBuffer in, int length) {
    int end = in.capacity() - 4;
    if (length != end - HEADER_BYTES) {
      throw corrupt(
          file, "header", "sections of " + length + " bytes, the file has " + (end - HEADER_BYTES));
    }
    List<Section> sections = new ArrayList<>();
    int at = HEADER_BYTES;
    while (at < end) {
      if (end - at < SECTION_BYTES
          || in.getInt(at + 4) < 0
          || in.getInt(at + 4) > end - at - SECTION_BYTES) {
        throw corrupt(file, "section at byte " + at, "it does not end within the file");
      }
      int tag = in.getShort(at) & 0xFFFF;
      int size = in.getInt(at + 4);
      if (tag < FIRST_OPTIONAL_TAG) {
        sections.add(
            new Section(tag, in.slice(at + SECTION_BYTES, size).order(ByteOrder.LITTLE_ENDIAN)));
      }
      at += SECTION_BYTES + size;
    }
    return sections;
  }

  private static ManifestCorruptException corrupt(String file, String place, String what) {
    return new ManifestCorruptException(file, place, what);
  }
}
