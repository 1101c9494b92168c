package org.flowmon.deploy.terminal;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.flowmon.ingest.text.ShownText;

/**
 * Passes UTF-8 on with the escapes of {@link ShownText}; a line feed, a tab and a carriage return
 * before a line feed stay. An invalid byte is shown as {@code \xNN}. Bytes of an incomplete
 * character are kept. Not thread-safe: the {@link TerminalStream} over it is.
 */
final class ShownBytes extends OutputStream {
  private final PrintStream out;
  // The bytes of an incomplete character, or a carriage return.
  private final byte[] begun = new byte[4];
  private int count;
  private int length;

  ShownBytes(PrintStream out) {
    this.out = out;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int size) {
    int plain = from;
    int end = from + size;
    for (int at = from; at < end; at++) {
      byte b = bytes[at];
      if (count == 0 && ((b >= ' ' && b < 0x7F) || b == '\n' || b == '\t')) {
        continue;
      }
      if (at > plain) {
        out.write(bytes, plain, at - plain);
      }
      plain = at + 1;
      take(b);
    }
    if (end > plain) {
      out.write(bytes, plain, end - plain);
    }
  }

  private void take(byte b) {
    if (count > 0) {
      if (begun[0] == '\r' ? b == '\n' : (b & 0xC0) == 0x80) {
        begun[count++] = b;
        if (count == length) {
          emit();
        }
        return;
      }
      refuse();
    }
    begin(b);
  }

  private void begin(byte b) {
    int lead = b & 0xFF;
    begun[0] = b;
    count = 1;
    length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead >= 0xF5 || (lead >= 0x80 && lead < 0xC2)) {
      refuse(); // begins no character
    } else if (lead < 0x80 && b != '\r') {
      count = 0;
      if ((b >= ' ' && b < 0x7F) || b == '\n' || b == '\t') {
        out.write(b);
      } else {
        ascii(ShownText.escape(lead));
      }
    }
  }

  private void emit() {
    String text = new String(begun, 0, count, StandardCharsets.UTF_8);
    int codePoint = text.codePointAt(0);
    if (begun[0] == '\r') {
      out.write(begun, 0, count);
      count = 0;
    } else if (text.length() != Character.charCount(codePoint) || isReplaced(codePoint)) {
      refuse(); // overlong, or a surrogate
    } else {
      if (ShownText.isHarmful(codePoint)) {
        ascii(ShownText.escape(codePoint));
      } else {
        out.write(begun, 0, count);
      }
      count = 0;
    }
  }

  private boolean isReplaced(int codePoint) {
    return codePoint == 0xFFFD && (begun[0] & 0xFF) != 0xEF;
  }

  private void refuse() {
    for (int i = 0; i < count; i++) {
      ascii(String.format("\\x%02x", begun[i] & 0xFF));
    }
    count = 0;
  }

  private void ascii(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    out.write(bytes, 0, bytes.length);
  }

  @Override
  public void flush() {
    out.flush();
  }

  /** Shows an incomplete character; the stream stays open. */
  @Override
  public void close() {
    refuse();
    out.flush();
  }
}
