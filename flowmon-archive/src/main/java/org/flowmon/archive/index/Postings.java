package org.flowmon.archive.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.sorted.AddressList;
import org.flowmon.archive.sorted.BinarySearch;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The postings of one column in a sidecar: the dictionary of its values, and the rows of each. */
final class Postings implements AddressList {
  private static final int HEADER_BYTES = 16;

  private final MappedRegion file;
  private final int rows;
  private final boolean verifyChecksums;
  final FlowColumn column;
  final String place;
  final PuffinFooter.Blob blob;
  final int size;
  final int width;
  final int dictionaryAt;
  final int directoryAt;
  final int listsAt;
  final int listsLength;
  final int textsAt;
  final long sign; // turns signed numbers into what sorts unsigned
  volatile boolean verified;

  /**
   * The postings in a blob; {@code verifyChecksums}: the blob is checked when it is first used.
   * Throws {@link org.flowmon.archive.region.SegmentCorruptException} if they cannot be these.
   */
  Postings(
      MappedRegion file,
      int rows,
      boolean verifyChecksums,
      FlowColumn column,
      PuffinFooter.Blob blob) {
    this.file = file;
    this.rows = rows;
    this.verifyChecksums = verifyChecksums;
    this.column = column;
    this.place = "postings of " + column.sqlName();
    this.blob = blob;
    file.checkRange(place, blob.offset(), blob.length());
    if (blob.length() < HEADER_BYTES) {
      throw file.corrupt(
          place, "a blob of " + blob.length() + " bytes, expected at least " + HEADER_BYTES);
    }
    ByteBuffer bytes = file.buffer();
    int at = blob.offset();
    size = bytes.getInt(at);
    width = bytes.getInt(at + 4);
    listsLength = bytes.getInt(at + 12);
    dictionaryAt = at + HEADER_BYTES;
    boolean fits =
        switch (column.type()) {
          case TEXT -> width == 0;
          case ADDRESS -> width == 4 || width == 16;
          case COUNT, NUMBER, TIMESTAMP, DURATION -> width == 8;
          default -> width == 4;
        };
    // Of texts the dictionary ends where its last offset says.
    long lists =
        width > 0 ? HEADER_BYTES + (long) size * (width + 4) : bytes.getInt(at + 8) & 0xFFFF_FFFFL;
    if (!fits
        || size < 1
        || size > rows
        || listsLength < 0
        || bytes.getInt(at + 8) != lists
        || lists < HEADER_BYTES + (width > 0 ? 0 : 8L * size + 4)
        || lists + listsLength != blob.length()) {
      throw file.corrupt(
          place,
          String.format(
              "%s values of %s bytes and %s bytes of lists in a blob of %s",
              size, width, listsLength, blob.length()));
    }
    listsAt = at + (int) lists;
    directoryAt = listsAt - 4 * size;
    textsAt = dictionaryAt + 4 * (size + 1);
    sign = column.type().minValue() < 0 ? Long.MIN_VALUE : 0;
    if (width == 0 && textAt(size) != directoryAt) {
      throw file.corrupt(place, "texts that end at " + textAt(size) + ", not " + directoryAt);
    }
  }

  /** Where the text of an id begins, and the one before ends. */
  private int textAt(int id) {
    int offset = file.buffer().getInt(dictionaryAt + 4 * id);
    if (offset < 0 || offset > directoryAt - textsAt) {
      throw file.corrupt(place, "a text at " + offset + " of " + (directoryAt - textsAt));
    }
    return textsAt + offset;
  }

  byte[] text(int id) {
    int from = textAt(id);
    int length = textAt(id + 1) - from;
    if (length < 0) {
      throw file.corrupt(place, "a text of " + length + " bytes");
    }
    byte[] utf8 = new byte[length];
    file.buffer().get(from, utf8);
    return utf8;
  }

  int lowerBound(byte[] utf8) {
    return BinarySearch.first(0, size, id -> Arrays.compareUnsigned(text(id), utf8) >= 0);
  }

  /** Checks the checksum once. Two threads may both do it: no harm. */
  void verify() {
    if (verifyChecksums && !verified) {
      file.verify(place, blob.offset(), blob.length(), blob.crc32c());
      verified = true;
    }
  }

  void checkId(int id) {
    if (id < 0 || id >= size) {
      throw new IndexOutOfBoundsException(
          "value " + id + " of the " + size + " of " + column.sqlName());
    }
  }

  private int bigEndian(int at) {
    return Integer.reverseBytes(file.buffer().getInt(at));
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long low(int id) {
    int at = dictionaryAt + id * width;
    if (width > 4) {
      return Long.reverseBytes(file.buffer().getLong(at + width - 8));
    }
    return column.type() == ColumnType.ADDRESS
        ? IpAddress.ipv4Low(bigEndian(at))
        : bigEndian(at) & 0xFFFF_FFFFL;
  }

  void readAddresses(int from, int n, long[] hi, long[] lo) {
    if (width == 4) {
      ByteBuffer bytes = file.buffer();
      int at = dictionaryAt + from * width;
      for (int i = 0; i < n; i++) {
        hi[i] = 0;
        lo[i] = IpAddress.ipv4Low(Integer.reverseBytes(bytes.getInt(at + 4 * i)));
      }
      return;
    }
    for (int i = 0; i < n; i++) {
      hi[i] = high(from + i);
      lo[i] = low(from + i);
    }
  }

  @Override
  public long high(int id) {
    return width == 16 ? Long.reverseBytes(file.buffer().getLong(dictionaryAt + id * width)) : 0;
  }

  int lowerBound(long value) {
    return lowerBound(0, sign == 0 ? Math.max(0, value) : value ^ sign);
  }

  RowSet rowsOf(int id) {
    int entry = file.buffer().getInt(directoryAt + 4 * id);
    if (entry < 0) {
      int row = single(entry);
      return RowSet.range(row, row + 1);
    }
    return PostingLists.read(file, place, list(entry), rows);
  }

  RowCursor cursorOf(int id, int from, int to) {
    int entry = file.buffer().getInt(directoryAt + 4 * id);
    return entry < 0
        ? rowsOf(id).and(RowSet.range(from, to)).cursor()
        : PostingLists.cursor(file, place, list(entry), rows, from, to);
  }

  int countOf(int id) {
    int entry = file.buffer().getInt(directoryAt + 4 * id);
    if (entry < 0) {
      single(entry);
      return 1;
    }
    return PostingLists.count(file, place, list(entry), rows);
  }

  private int single(int entry) {
    int row = entry & ~PostingLists.SINGLE;
    if (row >= rows) {
      throw file.corrupt(place, "row " + row + " of a segment of " + rows);
    }
    return row;
  }

  /** From a list to the end of all lists: each says itself where it ends. */
  private ByteBuffer list(int offset) {
    if (offset >= listsLength) {
      throw file.corrupt(place, "a list at " + offset + " of " + listsLength + " bytes");
    }
    return file.buffer()
        .slice(listsAt + offset, listsLength - offset)
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
