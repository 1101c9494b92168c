package org.flowmon.archive.segment.reader;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.flowmon.archive.segment.format.ParquetStructs;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.archive.segment.format.ThriftStruct;

/** A bounded cursor over the bytes of a chunk or page, from front to back. */
public final class ChunkCursor {
  private final ByteBuffer buffer;
  private final int end;
  private final Function<String, RuntimeException> corrupt;
  private int position;

  public ChunkCursor(
      ByteBuffer buffer, int position, int end, Function<String, RuntimeException> corrupt) {
    this.buffer = buffer;
    this.position = position;
    this.end = end;
    this.corrupt = corrupt;
  }

  int position() {
    return position;
  }

  int remaining() {
    return end - position;
  }

  void check(boolean holds, String expected) {
    if (!holds) {
      throw corrupt.apply("expected " + expected);
    }
  }

  void need(int bytes) {
    check(bytes >= 0 && bytes <= end - position, bytes + " more bytes at " + position);
  }

  void skip(int bytes) {
    need(bytes);
    position += bytes;
  }

  int readByte() {
    need(1);
    return buffer.get(position++) & 0xFF;
  }

  int readInt() {
    need(4);
    position += 4;
    return buffer.getInt(position - 4);
  }

  int readVarint() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = readByte();
      value |= (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt.apply("a number of more than 5 bytes at " + position);
  }

  /** Reads one run of levels; returns the offset of bit-packed bits, −1 if all rows have values. */
  int readLevels(int rows, boolean nullable) {
    int length = readInt();
    need(length);
    int levelsEnd = position + length;
    int run = readVarint();
    int bits = -1;
    if (nullable) {
      int groups = (rows + 7) >>> 3;
      check(
          run == ((groups << 1) | 1) && levelsEnd - position == groups,
          "levels of one bit-packed run of " + rows);
      bits = position;
    } else {
      check(
          run == rows << 1 && levelsEnd - position == 1 && buffer.get(position) == 1,
          "levels of one run of " + rows + " ones");
    }
    position = levelsEnd;
    return bits;
  }

  /** Reads the width of the ids of {@code n} values, all of which follow. */
  int readIdWidth(int size, int n) {
    int width = readByte();
    check(
        width == SegmentFormat.idWidth(size),
        "ids of " + SegmentFormat.idWidth(size) + " bits, found " + width);
    int run = readVarint();
    int groups = (n + 7) >>> 3;
    check(width == 0 ? run == n << 1 : run == ((groups << 1) | 1), "one run of " + n + " ids");
    check(remaining() == (long) groups * width, groups * (long) width + " bytes of ids");
    return width;
  }

  /** Reads a page header; the position is then the start of the page. */
  public PageHeader readHeader(PageType type) {
    PageHeader header;
    try {
      byte[] bytes = ThriftStruct.read(new Source(), end - position);
      header = ParquetStructs.pageHeader(bytes);
    } catch (IOException | RuntimeException e) { // the library's checks throw both
      throw corrupt.apply("a page header that cannot be read: " + e.getMessage());
    }
    check(
        header.getType() == type
            && (type == PageType.DATA_PAGE
                ? header.isSetData_page_header()
                : header.isSetDictionary_page_header())
            && header.getCompressed_page_size() >= 0
            && header.getUncompressed_page_size() >= 0
            && header.getCompressed_page_size() <= end - position,
        type + " within the chunk");
    return header;
  }

  /** The bytes from the position on. */
  private final class Source extends InputStream {
    @Override
    public int read() {
      return position < end ? buffer.get(position++) & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      int n = Math.min(length, end - position);
      if (n <= 0) {
        return -1;
      }
      buffer.get(position, target, offset, n);
      position += n;
      return n;
    }
  }
}
