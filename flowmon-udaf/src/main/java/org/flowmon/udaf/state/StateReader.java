package org.flowmon.udaf.state;

import org.flowmon.flow.bytes.LittleEndian;

/**
 * Reads the untrusted bytes of a state: anything missing is a {@link StateFormatException} that
 * says what and where. Check a count by {@link #count} before allocating for it.
 */
public final class StateReader {
  private final byte[] bytes;
  private final int start;
  private final int end;
  private final String what;
  private int at;

  /** Reads bytes {@code from} … {@code to} − 1, unchanged meanwhile; errors name {@code what}. */
  public StateReader(byte[] bytes, int from, int to, String what) {
    if (from < 0 || to < from || to > bytes.length) {
      throw new IndexOutOfBoundsException(
          "bytes " + from + " \u2026 " + to + " of " + bytes.length);
    }
    this.bytes = bytes;
    this.start = from;
    this.end = to;
    this.what = what;
    this.at = from;
  }

  /** The number of unread bytes. */
  public int remaining() {
    return end - at;
  }

  /** The next byte, without reading it; −1 if there is none. */
  public int peek() {
    return at < end ? bytes[at] & 0xFF : -1;
  }

  /** The array that is read: read-only. */
  public byte[] array() {
    return bytes;
  }

  /** The place of the next byte in the array. */
  public int position() {
    return at;
  }

  /** An error in the bytes, with the current place. */
  public StateFormatException error(String message) {
    return new StateFormatException(what + ": at byte " + (at - start) + ": " + message);
  }

  /** Skips bytes; returns their start in the array. */
  public int skip(int count) {
    if (count < 0 || count > end - at) {
      throw error("expected " + count + " bytes, found " + (end - at));
    }
    int from = at;
    at += count;
    return from;
  }

  public void expectForm(int expected) {
    int form = getByte();
    if (form != expected) {
      throw error("form " + form + ", this reads form " + expected);
    }
  }

  /** 0 … 255. */
  public int getByte() {
    return bytes[skip(1)] & 0xFF;
  }

  /** 0 … 65,535. */
  public int getU16() {
    return LittleEndian.getU16(bytes, skip(2));
  }

  public int getInt() {
    return LittleEndian.getInt(bytes, skip(4));
  }

  public long getLong() {
    return LittleEndian.getLong(bytes, skip(8));
  }

  /** An unsigned number of 1 … 8 bytes, the lowest first. */
  public long getLow(int count) {
    int from = skip(count);
    long value = 0;
    for (int i = 0; i < count; i++) {
      value |= (bytes[from + i] & 0xFFL) << (8 * i);
    }
    return value;
  }

  /** An unsigned number of 64 bits, in its shortest form. */
  public long getVarint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = getByte();
      value |= (next & 0x7FL) << shift;
      if (next < 0x80) {
        if ((next == 0 && shift > 0) || (shift == 63 && next > 1)) {
          throw error("expected a number in its shortest form of 64 bits");
        }
        return value;
      }
    }
    throw error("expected a number of at most 10 bytes");
  }

  /** A signed number written by {@link StateSink#putSignedVarint}. */
  public long getSignedVarint() {
    long value = getVarint();
    return (value >>> 1) ^ -(value & 1);
  }

  /** A varint that counts things of at least {@code bytesEach} remaining bytes, named in errors. */
  public int count(String name, int most, int bytesEach) {
    long count = getVarint();
    if (count < 0 || count > most || count * bytesEach > remaining()) {
      throw error(
          "expected at most "
              + (bytesEach == 0 ? most : Math.min(most, remaining() / bytesEach))
              + " "
              + name
              + ", found "
              + Long.toUnsignedString(count));
    }
    return (int) count;
  }

  /** Checks that no bytes are left. */
  public void end() {
    if (at != end) {
      throw error("expected the end, found " + (end - at) + " bytes more");
    }
  }
}
