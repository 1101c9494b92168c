package org.flowmon.flow.bytes;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.BitSet;

/** A growing, reused byte buffer, little-endian unless said otherwise. Not thread-safe. */
public final class ByteSink extends OutputStream {
  private byte[] bytes = new byte[1 << 12];
  private int size;

  /** The array that holds the bytes; replaced when it grows. */
  public byte[] array() {
    return bytes;
  }

  public int size() {
    return size;
  }

  public void clear() {
    size = 0;
  }

  /** Makes room; an {@link IllegalStateException} near 2 GiB. */
  public void reserve(long more) {
    long needed = size + more;
    if (needed > bytes.length) {
      if (needed > Integer.MAX_VALUE - 16) {
        throw new IllegalStateException("a buffer would reach 2 GiB; write fewer rows at a time");
      }
      bytes =
          Arrays.copyOf(
              bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, 2L * bytes.length)));
    }
  }

  /** Appends bytes written into {@link #array} past the end, after {@link #reserve}. */
  public void advance(int count) {
    size += count;
  }

  @Override
  public void write(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
  }

  public void putShort(int value) {
    reserve(2);
    LittleEndian.putU16(bytes, size, value);
    size += 2;
  }

  public void putInt(int value) {
    reserve(4);
    LittleEndian.putInt(bytes, size, value);
    size += 4;
  }

  public void putLong(long value) {
    reserve(8);
    LittleEndian.putLong(bytes, size, value);
    size += 8;
  }

  public void putIntBigEndian(int value) {
    reserve(4);
    BigEndian.putInt(bytes, size, value);
    size += 4;
  }

  public void putLongBigEndian(long value) {
    reserve(8);
    BigEndian.putLong(bytes, size, value);
    size += 8;
  }

  /** Appends unsigned LEB128. */
  public void putVarint(int value) {
    reserve(5);
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Appends unsigned LEB128 of 64 bits. */
  public void putVarintLong(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  public void setInt(int at, int value) {
    LittleEndian.putInt(bytes, at, value);
  }

  public void align8() {
    while ((size & 7) != 0) {
      write(0);
    }
  }

  /** Appends {@code values[from … from + count)}, 4 bytes each. */
  public void putInts(long[] values, int from, int count) {
    reserve(4L * count);
    for (int i = 0; i < count; i++) {
      LittleEndian.putInt(bytes, size + 4 * i, (int) values[from + i]);
    }
    size += 4 * count;
  }

  public void putLongs(long[] values, int from, int count) {
    reserve(8L * count);
    for (int i = 0; i < count; i++) {
      LittleEndian.putLong(bytes, size + 8 * i, values[from + i]);
    }
    size += 8 * count;
  }

  /**
   * Values of {@code width} (1 … 31) bits, lowest first, padded to 8 values: a Parquet run's body.
   */
  public void putPacked(int[] values, int from, int count, int width) {
    int groups = (count + 7) >>> 3;
    reserve((long) groups * width + 8);
    int end = size + groups * width;
    int at = size;
    long pending = 0;
    int bits = 0;
    for (int i = 0; i < count; i++) {
      pending |= (long) values[from + i] << bits;
      bits += width;
      if (bits >= 32) {
        LittleEndian.putInt(bytes, at, (int) pending);
        at += 4;
        pending >>>= 32;
        bits -= 32;
      }
    }
    Arrays.fill(bytes, at, end, (byte) 0);
    for (; bits > 0; bits -= 8) {
      bytes[at++] = (byte) pending;
      pending >>>= 8;
    }
    size = end;
  }

  /** Appends the first bits of a set, the lowest of a byte first; what is beyond them is 0. */
  public void putBits(BitSet bits, int count) {
    putBits(Arrays.copyOf(bits.toLongArray(), (count + 63) >>> 6), 0, count);
  }

  public void putBits(long[] words, int from, int count) {
    int end = size + ((count + 7) >>> 3);
    reserve(8L * ((count + 63) >>> 6));
    for (int w = 0; w < (count + 63) >>> 6; w++) {
      LittleEndian.putLong(bytes, size + 8 * w, words[from + w]);
    }
    size = end;
  }
}
