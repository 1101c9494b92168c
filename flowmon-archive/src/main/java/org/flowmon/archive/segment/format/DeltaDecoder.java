package org.flowmon.archive.segment.format;

import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * Decoder of {@link DeltaEncoder}'s format. Whatever the bytes hold, it reads at most a few bytes
 * past their end; the caller must provide them.
 */
public final class DeltaDecoder {
  private static final int WIDE = 56; // a value of more bits may span nine bytes
  private static final int CACHE_LINE = 64;
  private static final int MAX_BLOCK = 10 + DeltaEncoder.MINIBLOCKS + 8 * DeltaEncoder.BLOCK;

  private final ByteBuffer buffer;
  private final int valuesAt;
  private final int end;
  private final int tableAt;
  private final int count;
  private final boolean narrow;
  private final Function<String, RuntimeException> corrupt;

  private int position;

  @SuppressWarnings("UnusedVariable") // written so that its reads are not optimized away
  private int touched;

  /**
   * Checks the header of at least 1 value.
   *
   * @param buffer little-endian; at least 9 bytes follow {@code end}
   * @param tableAt offset of the table of blocks in it, −1 for none
   * @param narrow whether values have 32 bits
   */
  public DeltaDecoder(
      ByteBuffer buffer,
      int valuesAt,
      int end,
      int tableAt,
      int count,
      boolean narrow,
      Function<String, RuntimeException> corrupt) {
    this.buffer = buffer;
    this.valuesAt = valuesAt;
    this.end = end;
    this.tableAt = tableAt;
    this.count = count;
    this.narrow = narrow;
    this.corrupt = corrupt;
    position = valuesAt;
    long block = readVarint();
    long miniblocks = readVarint();
    long found = readVarint();
    if (block != DeltaEncoder.BLOCK || miniblocks != DeltaEncoder.MINIBLOCKS || found != count) {
      throw corrupt.apply(
          String.format(
              "expected %d deltas in blocks of %d and %d, found %d in %d and %d",
              count, DeltaEncoder.BLOCK, DeltaEncoder.MINIBLOCKS, found, block, miniblocks));
    }
  }

  /** Reads a varint of up to 8 bytes without a branch at each: their number is unpredictable. */
  private long readVarint() {
    long word = buffer.getLong(position); // the bytes past the end exist
    long stops = ~word & 0x8080_8080_8080_8080L;
    int bytes = (Long.numberOfTrailingZeros(stops) >>> 3) + 1;
    if (stops == 0 || bytes > end - position) {
      return readLongVarint();
    }
    position += bytes;
    word &= (stops ^ (stops - 1)) & 0x7F7F_7F7F_7F7F_7F7FL;
    word = (word & 0x007F_007F_007F_007FL) | (word & 0x7F00_7F00_7F00_7F00L) >>> 1;
    word = (word & 0x0000_3FFF_0000_3FFFL) | (word & 0x3FFF_0000_3FFF_0000L) >>> 2;
    return (word & 0x0000_0000_0FFF_FFFFL) | (word & 0x0FFF_FFFF_0000_0000L) >>> 4;
  }

  /** Reads a varint of nine or ten bytes, or one that does not end before the deltas do. */
  private long readLongVarint() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position >= end) {
        break;
      }
      byte next = buffer.get(position++);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw corrupt.apply("expected a number of deltas before " + end);
  }

  private long readZigzag() {
    long value = readVarint();
    return (value >>> 1) ^ -(value & 1);
  }

  private long asValue(long value) {
    return narrow ? value & 0xFFFF_FFFFL : value;
  }

  public void decodeAll(long[] out) {
    long value = readZigzag();
    out[0] = asValue(value);
    for (int i = 1; i < count; i += DeltaEncoder.BLOCK) {
      value = decodeBlock(value, Math.min(DeltaEncoder.BLOCK, count - i), out, i);
    }
    if (position != end) {
      throw corrupt.apply("expected the last delta at " + end + ", found it at " + position);
    }
  }

  /** Decodes {@code n} values of the block at the position; returns the last. */
  private long decodeBlock(long before, int n, long[] out, int at) {
    long smallest = readZigzag();
    int widths = position;
    position += DeltaEncoder.MINIBLOCKS;
    long value = before;
    for (int mini = 0; mini * DeltaEncoder.MINIBLOCK < n; mini++) {
      int width = width(widths + mini);
      int first = mini * DeltaEncoder.MINIBLOCK;
      int some = Math.min(DeltaEncoder.MINIBLOCK, n - first);
      if (width > WIDE) {
        for (int i = 0; i < some; i++) {
          value += smallest + wide(position, i, width);
          out[at + first + i] = asValue(value);
        }
      } else {
        long mask = (1L << width) - 1;
        int bit = 0;
        for (int i = 0; i < some; i++, bit += width) {
          value += smallest + (buffer.getLong(position + (bit >>> 3)) >>> (bit & 7) & mask);
          out[at + first + i] = asValue(value);
        }
      }
      position += width * (DeltaEncoder.MINIBLOCK / 8);
    }
    return value;
  }

  private int width(int at) {
    int width = at < end ? buffer.get(at) & 0xFF : -1;
    if (width < 0
        || width > (narrow ? 32 : 64)
        || width * (DeltaEncoder.MINIBLOCK / 8) > end - position) {
      throw corrupt.apply("expected deltas within " + end + ", found a width of " + width);
    }
    return width;
  }

  private long wide(int at, int i, int width) {
    int bit = i * width;
    int shift = bit & 7;
    long low = buffer.getLong(at + (bit >>> 3)) >>> shift;
    long high = shift == 0 ? 0 : (long) buffer.get(at + (bit >>> 3) + 8) << (64 - shift);
    return (low | high) & (width == 64 ? -1L : (1L << width) - 1);
  }

  /** The block of a value; value 0 comes before the first block. */
  public static int blockOf(int index) {
    return index == 0 ? 0 : (index - 1) / DeltaEncoder.BLOCK;
  }

  public static int beforeOf(int block) {
    return block * DeltaEncoder.BLOCK;
  }

  /** Decodes the value before a block, then up to 128 of it, into 129 longs. Not thread-safe. */
  public void decode(int block, int upTo, long[] out) {
    long before = seek(block);
    out[0] = asValue(before);
    decodeBlock(before, Math.min(upTo, count - 1 - beforeOf(block)), out, 1);
  }

  private long seek(int block) {
    int entry = tableAt + block * DeltaEncoder.ENTRY;
    position = blockAt(entry, block);
    return buffer.getLong(entry);
  }

  private int blockAt(int entry, int block) {
    int offset = buffer.getInt(entry + 8);
    if (offset < 0 || offset > end - valuesAt) {
      throw corrupt.apply("expected block " + block + " within the values, found it at " + offset);
    }
    return valuesAt + offset;
  }

  /**
   * Reads values by the table, at {@code n} places in any order; negative ones give 0. Each step is
   * done for all before the next, so that the memory of many blocks is loaded at a time: for
   * distant places most time is spent waiting for memory. Not for several threads at once.
   */
  public void gather(int[] indexes, int n, long[] out) {
    int[] blocks = new int[n];
    for (int i = 0; i < n; i++) {
      if (indexes[i] >= 0) {
        int block = blockOf(indexes[i]);
        int entry = tableAt + block * DeltaEncoder.ENTRY;
        blocks[i] = blockAt(entry, block);
        out[i] = buffer.getLong(entry);
      }
    }
    touch(blocks, indexes, n);
    for (int i = 0; i < n; i++) {
      int deltas = deltasTo(indexes[i]);
      if (deltas > 0) {
        position = blocks[i];
        out[i] += readZigzag() * deltas;
        blocks[i] = position;
        out[i] += last(deltas);
      }
    }
    for (int i = 0; i < n; i++) {
      position = blocks[i];
      out[i] = indexes[i] < 0 ? 0 : asValue(out[i] + sum(deltasTo(indexes[i]) - 1));
    }
  }

  /**
   * Touches the memory of blocks, about as far as the deltas that lead to values: later steps,
   * which branch on what they read, would wait for one block after the other.
   */
  private void touch(int[] blocks, int[] indexes, int n) {
    ByteBuffer bytes = buffer;
    int bytesPerBlock =
        (int) Math.min(MAX_BLOCK, (long) (end - valuesAt) * DeltaEncoder.BLOCK / count);
    int last = end - 1;
    int sum = 0;
    for (int i = 0; i < n; i++) {
      int length = (int) ((long) bytesPerBlock * deltasTo(indexes[i]) / DeltaEncoder.BLOCK);
      for (int at = 0; at <= length && indexes[i] >= 0; at += CACHE_LINE) {
        sum += bytes.get(Math.min(last, blocks[i] + at));
      }
    }
    touched = sum;
  }

  /** Number of deltas in its block that lead to a value; 0 for none and for value 0. */
  private static int deltasTo(int index) {
    return index <= 0 ? 0 : index - beforeOf(blockOf(index));
  }

  /** The last of the first {@code n} deltas of the block whose widths are at the position. */
  private long last(int n) {
    int widths = position;
    position += DeltaEncoder.MINIBLOCKS;
    int mini = (n - 1) / DeltaEncoder.MINIBLOCK;
    for (int m = 0; m < mini; m++) {
      position += width(widths + m) * (DeltaEncoder.MINIBLOCK / 8);
    }
    return packed(position, (n - 1) % DeltaEncoder.MINIBLOCK, width(widths + mini));
  }

  private long sum(int n) {
    int widths = position;
    position += DeltaEncoder.MINIBLOCKS;
    long sum = 0;
    for (int first = 0; first < n; first += DeltaEncoder.MINIBLOCK) {
      int width = width(widths + first / DeltaEncoder.MINIBLOCK);
      int some = Math.min(DeltaEncoder.MINIBLOCK, n - first);
      sum += sum(position, some, width);
      position += width * (DeltaEncoder.MINIBLOCK / 8);
    }
    return sum;
  }

  /** The sum of packed numbers; two or three narrow ones fit one long. */
  private long sum(int at, int n, int width) {
    if (width == 0) {
      return 0;
    }
    long sum = 0;
    if (width > WIDE) {
      for (int i = 0; i < n; i++) {
        sum += wide(at, i, width);
      }
      return sum;
    }
    ByteBuffer bytes = buffer;
    long mask = (1L << width) - 1;
    long second = 0;
    int bit = 0;
    int i = 0;
    for (; width <= PackedWidths.OF_THREE && i + 2 < n; i += 3, bit += 3 * width) {
      long word = bytes.getLong(at + (bit >>> 3)) >>> (bit & 7);
      sum += (word & mask) + (word >>> (2 * width) & mask);
      second += word >>> width & mask;
    }
    for (; width <= PackedWidths.OF_TWO && i + 1 < n; i += 2, bit += 2 * width) {
      long word = bytes.getLong(at + (bit >>> 3)) >>> (bit & 7);
      sum += word & mask;
      second += word >>> width & mask;
    }
    for (; i < n; i++, bit += width) {
      sum += bytes.getLong(at + (bit >>> 3)) >>> (bit & 7) & mask;
    }
    return sum + second;
  }

  private long packed(int at, int i, int width) {
    if (width > WIDE) {
      return wide(at, i, width);
    }
    int bit = i * width;
    return buffer.getLong(at + (bit >>> 3)) >>> (bit & 7) & ((1L << width) - 1);
  }
}
