package org.flowmon.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What an input does to a sound file, so that a fuzzer need not find out what a sound one is: each
 * edit is a place (4 bytes), what to do there (1) and an operand (4).
 */
final class Edits {
  static final int BYTES = 9;

  private Edits() {}

  /**
   * A copy of a file with the edits.
   *
   * @param from where in the input they begin
   */
  static byte[] apply(byte[] sound, byte[] input, int from) {
    byte[] edited = sound.clone();
    ByteBuffer edits = ByteBuffer.wrap(input, from, input.length - from);
    edits.order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 64 && edits.remaining() >= BYTES && edited.length > 0; i++) {
      int place = edits.getInt();
      int what = edits.get() & 0xFF;
      int operand = edits.getInt();
      // Places count from the end, too: footers are there.
      int at =
          place >= 0
              ? place % edited.length
              : edited.length - 1 - (place & Integer.MAX_VALUE) % edited.length;
      switch (what & 7) {
        case 0 -> edited[at] = (byte) operand;
        case 1 -> edited[at] ^= (byte) (1 << (operand & 7));
        case 2 -> edited = Arrays.copyOf(edited, at);
        case 3 -> Arrays.fill(edited, at, Math.min(edited.length, at + (operand & 15)), (byte) -1);
        case 4 -> put(edited, at, operand, 4);
        case 5 -> put(edited, at, operand, 8);
        case 6 -> edited[at] += (byte) operand;
        default -> {
          int to = (operand & Integer.MAX_VALUE) % edited.length;
          int length = Math.min(1 + (what >>> 3), edited.length - Math.max(at, to));
          System.arraycopy(edited, at, edited, to, length);
        }
      }
    }
    return edited;
  }

  private static void put(byte[] bytes, int at, long value, int length) {
    for (int i = 0; i < length && at + i < bytes.length; i++) {
      bytes[at + i] = (byte) (value >> (8 * i));
    }
  }

  /** One edit, for seeds. */
  static byte[] edit(int first, int place, int what, int operand) {
    return ByteBuffer.allocate(1 + BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) first)
        .putInt(place)
        .put((byte) what)
        .putInt(operand)
        .array();
  }

  /** Writes the length of all bytes as 4 bytes, if there is room. */
  static void putLength(byte[] bytes, int at) {
    if (at + 4 <= bytes.length) {
      put(bytes, at, bytes.length, 4);
    }
  }

  /** Writes the CRC32C of all but its own 4 bytes, as somebody would who means to deceive. */
  static void seal(byte[] bytes, int crcAt) {
    if (crcAt < 0 || crcAt + 4 > bytes.length) {
      return;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, crcAt);
    crc.update(bytes, crcAt + 4, bytes.length - crcAt - 4);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(crcAt, (int) crc.getValue());
  }
}
