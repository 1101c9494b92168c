package org.flowmon.archive.derived;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SealedFile;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;

/**
 * The frame of a run's file, the same for every kind and version:
 *
 * <pre>
 * magic 4 | version 2 | 0 2 | … | tables, covered segments | tail
 * a covered segment: length of its id 1 | id, ASCII | CRC32C of its Parquet file 4 | … of the kind
 * tail: archive 16 | … of the kind | CRC32C of tables and tail up to here 4 | version 2 | 0 2 | magic 4
 * </pre>
 *
 * The version at both ends tells a run of another version from one with a damaged version.
 *
 * @param magic as an integer, little-endian
 * @param oldest version that this program reads, too
 * @param version that this program writes
 * @param tailBytes of the whole tail
 * @param place name of tables and tail in errors
 */
public record RunFrame(int magic, int oldest, int version, int tailBytes, String place) {
  public static final int HEADER_BYTES = 8;

  /** Minimum bytes of a covered segment, with an id of one byte. */
  public static final int LEAST_COVERED_BYTES = 1 + 1 + Integer.BYTES;

  /** Bytes of checksum, version and magic at the end. */
  static final int END_BYTES = 12;

  public void writeHeader(ByteSink out) {
    out.putInt(magic);
    out.putShort(version);
    out.putShort(0);
  }

  public static void writeCovered(ByteSink tables, DerivedRun.Covered segment) {
    byte[] id = segment.id().getBytes(StandardCharsets.US_ASCII);
    tables.write(id.length);
    tables.write(id, 0, id.length);
    tables.putInt(segment.crc32c());
  }

  public static void writeArchive(ByteSink tables, UUID archive) {
    tables.putLong(archive.getMostSignificantBits());
    tables.putLong(archive.getLeastSignificantBits());
  }

  /** Ends the tail, appends it to the file, and gives the file its name. */
  public void seal(ByteSink tables, SealedFile file) throws IOException {
    tables.putInt(Crc32c.of(tables));
    tables.putShort(version);
    tables.putShort(0);
    tables.putInt(magic);
    file.beginFooter();
    file.write(tables.array(), 0, tables.size());
    file.seal();
  }

  /**
   * Checks both ends of a file.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException if it is no run, or its ends differ
   * @throws ForeignRunException if both ends name another version
   */
  void check(MappedRegion file) {
    int length = file.length();
    if (length < HEADER_BYTES + END_BYTES) {
      throw file.corrupt(place, "expected a run, found " + length + " bytes");
    }
    ByteBuffer bytes = file.buffer();
    if (bytes.getInt(0) != magic || bytes.getInt(length - 4) != magic) {
      throw file.corrupt(place, "expected '" + text(magic) + "' at both ends");
    }
    int first = bytes.getShort(4) & 0xFFFF;
    int last = bytes.getShort(length - 8) & 0xFFFF;
    if (first != last || bytes.getShort(6) != 0 || bytes.getShort(length - 6) != 0) {
      throw file.corrupt(
          place, "expected version " + version + " at both ends, found " + first + " and " + last);
    }
    if (first < oldest || first > version) {
      String known = oldest == version ? "" + version : oldest + " to " + version;
      throw new ForeignRunException(file.path() + ": version " + first + ", this reads " + known);
    }
  }

  /** The version of a checked file. */
  static int versionOf(MappedRegion file) {
    return file.buffer().getShort(4) & 0xFFFF;
  }

  private static String text(int magic) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Integer.BYTES; i++) {
      text.append((char) (magic >>> (8 * i) & 0xFF));
    }
    return text.toString();
  }
}
