package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;

/** Formats values as bytes of text without an object for each. Not thread-safe. */
final class TextBuffer {
  private static final long DAY = 86_400_000_000L;
  private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
  private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();
  private static final long MICROS = 1_000_000;

  private byte[] bytes = new byte[1 << 16];
  private int size;
  private long day = Long.MIN_VALUE;
  private byte[] dayText = {};

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, size);
    size = 0;
  }

  void put(char letter) {
    reserve(1);
    bytes[size++] = (byte) letter;
  }

  void putBytes(byte[] text) {
    reserve(text.length);
    System.arraycopy(text, 0, bytes, size, text.length);
    size += text.length;
  }

  void putAscii(String text) {
    putBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  void putLong(long value) {
    reserve(20);
    if (value < 0) {
      if (value == Long.MIN_VALUE) {
        putAscii("-9223372036854775808");
        return;
      }
      bytes[size++] = '-';
    }
    putDigits(Math.abs(value), digits(Math.abs(value)));
  }

  private static int digits(long value) {
    int digits = 1;
    for (long left = value / 10; left > 0; left /= 10) {
      digits++;
    }
    return digits;
  }

  private void putDigits(long value, int digits) {
    reserve(digits);
    long left = value;
    for (int i = size + digits - 1; i >= size; i--) {
      bytes[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    size += digits;
  }

  /** ISO 8601 in UTC to the microsecond; years outside 1 … 9999 as {@link Instant} writes them. */
  void putTime(long micros) {
    long ofDay = Math.floorDiv(micros, DAY);
    if (ofDay < FIRST_DAY || ofDay > LAST_DAY) {
      putAscii(FlowTime.text(micros));
      return;
    }
    if (ofDay != day) {
      day = ofDay;
      dayText = LocalDate.ofEpochDay(ofDay).toString().getBytes(StandardCharsets.US_ASCII);
    }
    putBytes(dayText);
    long rest = micros - ofDay * DAY;
    long seconds = rest / MICROS;
    put('T');
    putDigits(seconds / 3600, 2);
    put(':');
    putDigits(seconds / 60 % 60, 2);
    put(':');
    putDigits(seconds % 60, 2);
    if (rest % MICROS != 0) {
      put('.');
      putDigits(rest % MICROS, 6);
    }
    put('Z');
  }

  void putAddress(long high, long low) {
    if (!IpAddress.isIpv4(high, low)) {
      putAscii(IpAddress.format(high, low));
      return;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      putLong(low >>> shift & 0xFF);
      if (shift > 0) {
        put('.');
      }
    }
  }
}
