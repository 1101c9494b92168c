package org.flowmon.archive.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.bytes.ByteSink;
import org.roaringbitmap.RoaringBitmap;

/**
 * Codec of posting lists, the rows of one value; {@code docs/format/sidecar.md} is the
 * specification.
 *
 * <pre>
 *   varint: count * 4 + kind | kind 0: varint first row, varint differences
 *                            | kind 1: Roaring, portable
 *                            | kind 2: varint first row
 * </pre>
 */
final class PostingLists {
  static final int SINGLE = 1 << 31;

  private static final int KIND_VARINTS = 0;
  private static final int KIND_ROARING = 1;
  private static final int KIND_RANGE = 2;

  private static final int DENSE_COUNT = 1024;
  private static final int DENSE_SHARE = 16;

  private static final int COOKIE_NO_RUNS = 12346;
  private static final int ARRAY_MAX = 4096;
  private static final int BITMAP_WORDS = 1024;

  private PostingLists() {}

  /** Appends the list of ascending {@code rows[from, to)}, at least two. */
  static void write(int[] rows, int from, int to, int totalRows, ByteSink out) {
    int count = to - from;
    if (rows[to - 1] - rows[from] == count - 1) {
      out.putVarint((count << 2) | KIND_RANGE);
      out.putVarint(rows[from]);
    } else if (count >= DENSE_COUNT && (long) count * DENSE_SHARE >= totalRows) {
      out.putVarint((count << 2) | KIND_ROARING);
      writeRoaring(rows, from, to, out);
    } else {
      out.reserve(5L * (count + 1));
      out.putVarint((count << 2) | KIND_VARINTS);
      int previous = 0;
      for (int i = from; i < to; i++) {
        out.putVarint(rows[i] - previous);
        previous = rows[i];
      }
    }
  }

  /** Writes portable Roaring from rows: https://github.com/RoaringBitmap/RoaringFormatSpec. */
  private static void writeRoaring(int[] rows, int from, int to, ByteSink out) {
    int start = out.size();
    out.putInt(COOKIE_NO_RUNS);
    out.putInt(0);
    int containers = 0;
    for (int i = from; i < to; ) {
      int end = containerEnd(rows, i, to);
      out.putShort(rows[i] >>> 16);
      out.putShort(end - i - 1);
      containers++;
      i = end;
    }
    out.setInt(start + 4, containers);
    int offsets = out.size();
    out.reserve(4L * containers);
    for (int c = 0; c < containers; c++) {
      out.putInt(0);
    }
    for (int i = from; i < to; ) {
      int end = containerEnd(rows, i, to);
      out.setInt(offsets, out.size() - start);
      offsets += 4;
      if (end - i <= ARRAY_MAX) {
        for (int k = i; k < end; k++) {
          out.putShort(rows[k]);
        }
      } else {
        writeBitmapContainer(rows, i, end, out);
      }
      i = end;
    }
  }

  private static int containerEnd(int[] rows, int from, int to) {
    int key = rows[from] >>> 16;
    int end = from + 1;
    while (end < to && rows[end] >>> 16 == key) {
      end++;
    }
    return end;
  }

  private static void writeBitmapContainer(int[] rows, int from, int to, ByteSink out) {
    int i = from;
    for (int w = 0; w < BITMAP_WORDS; w++) {
      long word = 0;
      while (i < to && (rows[i] & 0xFFFF) >>> 6 == w) {
        word |= 1L << rows[i];
        i++;
      }
      out.putLong(word);
    }
  }

  static int count(MappedRegion file, String place, ByteBuffer list, int totalRows) {
    int count = readVarint(file, place, list) >>> 2;
    if (count < 2 || count > totalRows) {
      throw file.corrupt(place, "a list of " + count + " rows, expected 2…" + totalRows);
    }
    return count;
  }

  /** Reads the list at the buffer's position, limited to the start of the next one. */
  static RowSet read(MappedRegion file, String place, ByteBuffer list, int totalRows) {
    int start = list.position();
    int count = count(file, place, list, totalRows);
    int kind = readVarint(file, place, list.position(start)) & 3;
    return switch (kind) {
      case KIND_VARINTS -> readVarints(file, place, list, count, totalRows);
      case KIND_ROARING -> readRoaring(file, place, list, count, totalRows);
      case KIND_RANGE -> {
        int first = readVarint(file, place, list);
        if (first < 0 || first > totalRows - count) {
          throw file.corrupt(
              place, "rows " + first + "+" + count + " of a segment of " + totalRows);
        }
        yield RowSet.range(first, first + count);
      }
      default -> throw file.corrupt(place, "a list of the unknown kind " + kind);
    };
  }

  /** Rows of a list in {@code [from, to)}, read while advancing: long lists take no memory. */
  static RowCursor cursor(
      MappedRegion file, String place, ByteBuffer list, int totalRows, int from, int to) {
    int start = list.position();
    int count = count(file, place, list, totalRows);
    int kind = readVarint(file, place, list.position(start)) & 3;
    if (kind == KIND_VARINTS) {
      return new Varints(file, place, list, count, totalRows, from, to);
    }
    RowSet rows = read(file, place, list.position(start), totalRows);
    boolean within = rows.first() >= from && rows.last() < to; // most are, and need no copy
    return (within ? rows : rows.and(RowSet.range(from, to))).cursor();
  }

  /** Reads varints. */
  private static final class Varints implements RowCursor {
    private final MappedRegion file;
    private final String place;
    private final ByteBuffer list;
    private final int totalRows;
    private final int from;
    private final int to;
    private int left; // rows not read yet
    private int row = -1;

    Varints(
        MappedRegion file,
        String place,
        ByteBuffer list,
        int count,
        int totalRows,
        int from,
        int to) {
      this.file = file;
      this.place = place;
      this.list = list;
      this.totalRows = totalRows;
      this.from = from;
      this.to = to;
      this.left = count;
    }

    @Override
    public int next(int[] block) {
      ByteBuffer bytes = list;
      int end = bytes.limit();
      int at = bytes.position();
      int before = row;
      int more = left;
      int n = 0;
      while (n < block.length && more > 0) {
        int step = at < end ? bytes.get(at) : -1;
        if (step >= 0) { // one byte, as most are
          at++;
        } else {
          step = readVarint(file, place, bytes.position(at));
          at = bytes.position();
        }
        before = rowAfter(before, step);
        more = before < to ? more - 1 : 0;
        block[n] = before;
        n += before >= from && before < to ? 1 : 0;
      }
      bytes.position(at);
      row = before;
      left = more;
      return n;
    }

    private int rowAfter(int before, int step) {
      long next = before < 0 ? step : (long) before + step;
      if (step < (before < 0 ? 0 : 1) || next >= totalRows) {
        throw file.corrupt(
            place, "row " + next + " after a step of " + step + " in a segment of " + totalRows);
      }
      return (int) next;
    }
  }

  private static RowSet readVarints(
      MappedRegion file, String place, ByteBuffer list, int count, int totalRows) {
    if (count > list.remaining()) {
      throw file.corrupt(place, "a list of " + count + " rows in " + list.remaining() + " bytes");
    }
    int[] rows = new int[count];
    long row = -1;
    for (int i = 0; i < count; i++) {
      int step = readVarint(file, place, list);
      row = i == 0 ? step : row + step;
      if (step < (i == 0 ? 0 : 1) || row >= totalRows) {
        throw file.corrupt(
            place, "row " + row + " after a step of " + step + " in a segment of " + totalRows);
      }
      rows[i] = (int) row;
    }
    return RowSet.of(rows, count);
  }

  private static RowSet readRoaring(
      MappedRegion file, String place, ByteBuffer list, int count, int totalRows) {
    ByteBuffer bytes = list.slice().order(ByteOrder.LITTLE_ENDIAN);
    // Bounds the allocation in deserialize: the containers are those of the segment's rows.
    if (bytes.remaining() < 8
        || bytes.getInt(0) != COOKIE_NO_RUNS
        || bytes.getInt(4) < 1
        || bytes.getInt(4) > ((totalRows - 1) >>> 16) + 1) {
      throw file.corrupt(
          place, "a list that is not the Roaring bitmap of at most " + totalRows + " rows");
    }
    RoaringBitmap bitmap = new RoaringBitmap();
    try {
      bitmap.deserialize(bytes);
    } catch (IOException | RuntimeException e) {
      throw new SegmentCorruptException(
          file.path(), place, "a Roaring bitmap that cannot be read", e);
    }
    if (!bitmap.validate()
        || bitmap.getCardinality() != count
        || bitmap.last() >= totalRows
        || bitmap.first() < 0) {
      throw file.corrupt(
          place,
          "a Roaring bitmap that is not valid or not of " + count + " rows below " + totalRows);
    }
    return RowSet.of(bitmap);
  }

  private static int readVarint(MappedRegion file, String place, ByteBuffer list) {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (!list.hasRemaining()) {
        throw file.corrupt(place, "a list ends within a number");
      }
      byte next = list.get();
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw file.corrupt(place, "a number of more than 5 bytes in a list");
  }
}
