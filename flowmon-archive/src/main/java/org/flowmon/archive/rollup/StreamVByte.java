package org.flowmon.archive.rollup;

import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * Unsigned integers of 1, 2, 4 or 8 bytes, four to a control byte: Stream VByte (Lemire, Kurz, Rupp
 * 2018), with lengths for 64 bits.
 *
 * <pre>
 *   ⌈count / 4⌉ control bytes | values
 *   control byte j: 2 bits for each of the values 4j … 4j + 3, lowest first: 0 1 2 3 for 1 2 4 8 bytes
 * </pre>
 */
final class StreamVByte {
  /** Bytes that decoding may read past a block's end. */
  static final int READ_AHEAD = 32;

  private static final long[] MASKS = {0xFFL, 0xFFFFL, 0xFFFF_FFFFL, -1L};

  /** By control byte: offsets of the 2nd, 3rd, 4th value and of their end, 8 bits each. */
  private static final int[] PLACES = new int[256];

  static {
    for (int control = 0; control < 256; control++) {
      int at = 0;
      for (int i = 0; i < 4; i++) {
        at += 1 << (control >>> (2 * i) & 3);
        PLACES[control] |= at << (8 * i);
      }
    }
  }

  private StreamVByte() {}

  static int maxBytes(int count) {
    return (count + 3) / 4 + 8 * count;
  }

  static void encode(long[] values, int from, int count, ByteSink out) {
    out.reserve(maxBytes(count) + READ_AHEAD);
    byte[] bytes = out.array();
    int control = out.size();
    int start = control + (count + 3) / 4;
    int at = start;
    for (int i = 0; i < count; i += 4) {
      int codes = 0;
      for (int k = i; k < Math.min(count, i + 4); k++) {
        long value = values[from + k];
        // From the number of significant bits: 0 … 8, 9 … 16, 17 … 32, more.
        int bits = 64 - Long.numberOfLeadingZeros(value);
        int code = (bits > 8 ? 1 : 0) + (bits > 16 ? 1 : 0) + (bits > 32 ? 1 : 0);
        codes |= code << (2 * (k - i));
        LittleEndian.putLong(bytes, at, value);
        at += 1 << code;
      }
      bytes[control++] = (byte) codes;
    }
    out.advance(at - out.size());
  }

  /**
   * Reads a block of {@code length}, at least its control bytes, and followed by {@link
   * #READ_AHEAD} bytes. Returns the end of the values; more than {@code length} if they do not fit,
   * then the values are void.
   */
  static int decode(byte[] bytes, int length, int count, long[] out) {
    int full = count >>> 2;
    int at = (count + 3) >>> 2;
    for (int group = 0; group < full; group++) {
      if (at > length) {
        return at;
      }
      int control = bytes[group] & 0xFF;
      int places = PLACES[control];
      int i = group << 2;
      out[i] = LittleEndian.getLong(bytes, at) & MASKS[control & 3];
      out[i + 1] = LittleEndian.getLong(bytes, at + (places & 0xFF)) & MASKS[control >>> 2 & 3];
      out[i + 2] =
          LittleEndian.getLong(bytes, at + (places >>> 8 & 0xFF)) & MASKS[control >>> 4 & 3];
      out[i + 3] = LittleEndian.getLong(bytes, at + (places >>> 16 & 0xFF)) & MASKS[control >>> 6];
      at += places >>> 24;
    }
    for (int i = full << 2; i < count && at <= length; i++) {
      int code = bytes[full] >>> (2 * (i & 3)) & 3;
      out[i] = LittleEndian.getLong(bytes, at) & MASKS[code];
      at += 1 << code;
    }
    return at;
  }
}
