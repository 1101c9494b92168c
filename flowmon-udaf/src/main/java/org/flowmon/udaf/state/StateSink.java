package org.flowmon.udaf.state;

import java.util.Arrays;
import org.flowmon.flow.LittleEndian;

/**
 * Growing bytes that states are appended to; little-endian. Reused: after {@link #clear} it
 * allocates only where it needs to be larger than before. {@link StateReader} reads what it writes.
 */
public final class StateSink {
  private byte[] bytes = new byte[64];
  private int size;

  /** Bytes written since it was cleared. */
  public int size() {
    return size;
  }

  /** The bytes, the first {@link #size} of which count: valid until more is written. */
  public byte[] array() {
    return bytes;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  /** Forgets what was written. */
  public void clear() {
    size = 0;
  }

  /** Reads all that was written: valid until more is. */
  public StateReader reader(String what) {
    return new StateReader(bytes, 0, size, what);
  }

  /** Makes room for so many bytes in all, where it has less. */
  public void reserve(long count) {
    if (count > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, count));
    }
  }

  /** Makes room for so many bytes more. */
  private int claim(int more) {
    int at = size;
    if (more > bytes.length - at) {
      long needed = (long) at + more;
      if (needed > Integer.MAX_VALUE - 8) {
        throw new IllegalStateException("states of " + needed + " bytes do not fit an array");
      }
      bytes =
          Arrays.copyOf(
              bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * bytes.length)));
    }
    size = at + more;
    return at;
  }

  /**
   * Appends bytes that the caller writes into {@link #array}; until then they are anything.
   *
   * @return where the first of them is
   */
  public int putRoom(int count) {
    return claim(count);
  }

  /** Appends the low 8 bits. */
  public void putByte(int value) {
    int at = claim(1);
    bytes[at] = (byte) value;
  }

  /** Appends the low 16 bits. */
  public void putU16(int value) {
    int at = claim(2);
    LittleEndian.putU16(bytes, at, value);
  }

  public void putInt(int value) {
    int at = claim(4);
    LittleEndian.putInt(bytes, at, value);
  }

  public void putLong(long value) {
    int at = claim(8);
    LittleEndian.putLong(bytes, at, value);
  }

  /** Appends the low 1 … 8 bytes of a value, the lowest first. */
  public void putLow(long value, int count) {
    int at = claim(count);
    for (int i = 0; i < count; i++) {
      bytes[at + i] = (byte) (value >>> (8 * i));
    }
  }

  /**
   * Appends an unsigned number in 1 … 10 bytes: seven bits each, the low ones first, bit 7 set
   * where more follow.
   */
  public void putVarint(long value) {
    long left = value;
    int at = claim(10);
    while ((left & ~0x7FL) != 0) {
      bytes[at++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[at++] = (byte) left;
    size = at;
  }

  /** Appends a signed number as varint of {@code (value << 1) ^ (value >> 63)}. */
  public void putSignedVarint(long value) {
    putVarint((value << 1) ^ (value >> 63));
  }

  /** Appends bytes. */
  public void putBytes(byte[] from, int at, int count) {
    int to = claim(count); // which may be in another array than before
    System.arraycopy(from, at, bytes, to, count);
  }
}
