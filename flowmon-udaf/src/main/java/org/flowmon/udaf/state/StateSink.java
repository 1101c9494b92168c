package org.flowmon.udaf.state;

import java.util.Arrays;
import org.flowmon.flow.bytes.LittleEndian;

/** Growing little-endian bytes for {@link StateReader}; allocates only to be longer than before. */
public final class StateSink {
  private byte[] bytes = new byte[64];
  private int size;

  /** Bytes written since it was cleared. */
  public int size() {
    return size;
  }

  /** The first {@link #size} bytes count, until more is written. */
  public byte[] array() {
    return bytes;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  public void clear() {
    size = 0;
  }

  /** Reads all written bytes: valid until more are written. */
  public StateReader reader(String what) {
    return new StateReader(bytes, 0, size, what);
  }

  /** Makes room for at least so many bytes in all. */
  public void reserve(long count) {
    if (count > bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, count));
    }
  }

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

  /** Appends bytes of any value, to be written into {@link #array} from the returned place on. */
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

  /** Unsigned, in 1 … 10 bytes: seven bits each, the low ones first, bit 7 set if more follow. */
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

  public void putBytes(byte[] from, int at, int count) {
    int to = claim(count); // which may be in a new array
    System.arraycopy(from, at, bytes, to, count);
  }
}
