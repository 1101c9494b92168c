package org.flowmon.ingest.file.zeek;

import java.util.Arrays;
import org.flowmon.flow.bytes.ByteSearch;

/** The escapes {@code \xNN} of TSV logs, for bytes that would otherwise be ambiguous. */
final class ZeekEscapes {
  private ZeekEscapes() {}

  static boolean any(byte[] bytes, int from, int to) {
    return ByteSearch.indexOf(bytes, from, to, (byte) '\\') >= 0;
  }

  static byte[] unescape(byte[] bytes) {
    byte[] out = new byte[bytes.length];
    int length = 0;
    for (int i = 0; i < bytes.length; i++) {
      int value = -1;
      if (bytes[i] == '\\' && i + 3 < bytes.length && bytes[i + 1] == 'x') {
        int high = Character.digit(bytes[i + 2], 16);
        int low = Character.digit(bytes[i + 3], 16);
        value = high < 0 || low < 0 ? -1 : high << 4 | low;
      }
      out[length++] = value < 0 ? bytes[i] : (byte) value;
      i += value < 0 ? 0 : 3;
    }
    return Arrays.copyOf(out, length);
  }
}
