package org.flowmon.archive.derived;

import java.nio.ByteBuffer;
import org.flowmon.archive.region.MappedRegion;

/**
 * How the file of a run begins and ends, of every kind and version:
 *
 * <pre>
 * magic 4 | version 2 | 0 2 | … | version 2 | 0 2 | magic 4
 * </pre>
 *
 * so that a run of another version is told from one whose version is damaged.
 */
public final class RunVersion {
  private static final int HEADER_BYTES = 8;
  private static final int TAIL_BYTES = 8;

  private RunVersion() {}

  /**
   * Checks both ends of a file.
   *
   * @param place how the tail is called in errors
   * @param magic as an integer, little-endian
   * @param version that the caller reads
   * @throws org.flowmon.archive.region.SegmentCorruptException where it is no run, or its ends
   *     differ
   * @throws ForeignRunException where both ends name another version
   */
  public static void check(MappedRegion file, String place, int magic, int version) {
    int length = file.length();
    if (length < HEADER_BYTES + TAIL_BYTES) {
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
    if (first != version) {
      throw new ForeignRunException(file.path() + ": version " + first + ", this reads " + version);
    }
  }

  private static String text(int magic) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Integer.BYTES; i++) {
      text.append((char) (magic >>> (8 * i) & 0xFF));
    }
    return text.toString();
  }
}
