package org.flowmon.archive.segment.format;

import java.nio.ByteBuffer;
import org.flowmon.flow.bytes.ByteSink;

/**
 * The places of a chunk's pages, its dictionary page first: a table of the segment's footer part.
 *
 * <pre>
 *   for each page: u32 where its bytes begin, from the chunk's start, behind the page header
 *                | u32 stored bytes | u32 uncompressed bytes | CRC32C of the uncompressed bytes
 * </pre>
 */
public final class PageTable {
  public static final int ENTRY = 16;

  private final ByteBuffer file;
  private final int at;

  /** {@code at} is the table's offset in the little-endian file; the caller checks its bounds. */
  public PageTable(ByteBuffer file, int at) {
    this.file = file;
    this.at = at;
  }

  public static void put(int offset, int stored, int uncompressed, int crc32c, ByteSink out) {
    out.putInt(offset);
    out.putInt(stored);
    out.putInt(uncompressed);
    out.putInt(crc32c);
  }

  public int offset(int page) {
    return file.getInt(at + ENTRY * page);
  }

  public int stored(int page) {
    return file.getInt(at + ENTRY * page + 4);
  }

  public int uncompressed(int page) {
    return file.getInt(at + ENTRY * page + 8);
  }

  public int crc32c(int page) {
    return file.getInt(at + ENTRY * page + 12);
  }
}
