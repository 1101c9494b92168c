package org.flowmon.ingest.decode.record;

import java.nio.charset.StandardCharsets;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.ingest.text.TextCache;
import org.jspecify.annotations.Nullable;

/**
 * Texts of fields as columns have them: names, MAC addresses, labels, application ids, segments.
 * Repeated ones are kept, so that frequent values allocate nothing.
 */
public final class FieldTexts {
  /** Longer names are cut: a few rows must not make a batch of many megabytes. */
  public static final int MAX_NAME_BYTES = 128;

  private static final int PEN_ENGINE = 20; // RFC 6759 section 4.1, PANA-L7-PEN
  private static final int MAX_KEY_BYTES = 16;
  private static final int MAX_SEGMENTS = 24; // of 39 characters: below the 1024 bytes of a text
  private static final int SEGMENT_BYTES = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final TextCache repeated = new TextCache();
  private final ByteSink made = new ByteSink();

  private byte @Nullable [] made() {
    return made.size() == 0 ? null : repeated.of(made.array(), 0, made.size());
  }

  /** Without the padding behind it; null if it is empty. Invalid bytes become U+FFFD. */
  public byte @Nullable [] name(byte[] bytes, int at, int length) {
    int end = at;
    int most = at + length;
    while (end < most && bytes[end] != 0) {
      end++;
    }
    while (end > at && bytes[end - 1] == ' ') {
      end--;
    }
    if (end - at > MAX_NAME_BYTES) {
      end = at + MAX_NAME_BYTES;
      while (end > at && (bytes[end] & 0xC0) == 0x80) {
        end--; // not within a character
      }
    }
    return end == at ? null : repeated.of(bytes, at, end);
  }

  /** As {@code 00:1b:21:3c:9d:f8}. */
  public byte[] mac(long address) {
    made.clear();
    for (int shift = 40; shift >= 0; shift -= 8) {
      if (shift < 40) {
        made.write(':');
      }
      made.write(HEX[(int) (address >>> (shift + 4)) & 15]);
      made.write(HEX[(int) (address >>> shift) & 15]);
    }
    return repeated.of(made.array(), 0, made.size());
  }

  /** Begins a list of numbers with commas between them. */
  public void beginList() {
    made.clear();
  }

  public void addToList(long number) {
    if (made.size() > 0) {
      made.write(',');
    }
    number(number);
  }

  /** Null if it is empty. */
  public byte @Nullable [] endList() {
    return made();
  }

  private void number(long number) {
    long divisor = 1;
    while (Long.compareUnsigned(Long.divideUnsigned(number, divisor), 10) >= 0) {
      divisor *= 10;
    }
    for (long rest = number; divisor > 0; divisor /= 10) {
      made.write('0' + (int) Long.divideUnsigned(rest, divisor));
      rest = Long.remainderUnsigned(rest, divisor);
    }
  }

  /**
   * An application id (RFC 6759): the engine in the first byte, then its selector, as {@code
   * 13:453}; of engine 20 the enterprise before the selector. Null if it is 0 or too long.
   */
  byte @Nullable [] application(byte[] bytes, int at, int length) {
    made.clear();
    int engine = bytes[at] & 0xFF;
    number(engine);
    int selector = at + 1;
    if (engine == PEN_ENGINE && length > 5) {
      made.write(':');
      number(BigEndian.getU32(bytes, selector));
      selector += 4;
    }
    long value = 0;
    if (at + length - selector > Long.BYTES - 1) {
      return null;
    }
    for (int i = selector; i < at + length; i++) {
      value = value << 8 | (bytes[i] & 0xFF);
    }
    made.write(':');
    number(value);
    return (engine | value) == 0 ? null : made();
  }

  /** For the table of names; ids of more than 16 bytes share one. */
  public static long applicationKey(byte[] bytes, int at, int length) {
    long first = 0;
    long second = length;
    for (int i = 0; i < Math.min(length, MAX_KEY_BYTES); i++) {
      if (i < Long.BYTES) {
        first = first << 8 | (bytes[at + i] & 0xFF);
      } else {
        second = second * 257 + (bytes[at + i] & 0xFF);
      }
    }
    return TableHash.of(first, second);
  }

  /** Segments of 16 bytes each, with commas between them; null if there are none. */
  public byte @Nullable [] segments(byte[] bytes, int at, int count) {
    made.clear();
    for (int i = 0; i < Math.min(count, MAX_SEGMENTS); i++) {
      int segment = at + i * SEGMENT_BYTES;
      if (i > 0) {
        made.write(',');
      }
      byte[] text =
          IpAddress.format(BigEndian.getLong(bytes, segment), BigEndian.getLong(bytes, segment + 8))
              .getBytes(StandardCharsets.US_ASCII);
      made.write(text, 0, text.length);
    }
    return made();
  }

  /**
   * The segments of a basicList of srhSegmentIPv6 (RFC 6313 section 4.5.1: semantic 1 | field 2 |
   * length 2 | values); null if it is anything else.
   */
  byte @Nullable [] segmentsOfList(byte[] bytes, int at, int length) {
    boolean plain =
        length >= 5
            && BigEndian.getU16(bytes, at + 1) == 494
            && BigEndian.getU16(bytes, at + 3) == SEGMENT_BYTES
            && (length - 5) % SEGMENT_BYTES == 0;
    return plain ? segments(bytes, at + 5, (length - 5) / SEGMENT_BYTES) : null;
  }

  /**
   * The segments of a routing header (RFC 8754 section 2: next header 1 | length 1 | type 4, 1 |
   * left 1 | last entry 1 | flags 1 | tag 2 | segments) or of its list alone; null if it is
   * neither.
   */
  byte @Nullable [] segmentsOfSection(byte[] bytes, int at, int length) {
    if (length % SEGMENT_BYTES == 0) {
      return segments(bytes, at, length / SEGMENT_BYTES);
    }
    if (length < 8 || bytes[at + 2] != 4) {
      return null;
    }
    int count = Math.min((bytes[at + 4] & 0xFF) + 1, (length - 8) / SEGMENT_BYTES);
    return segments(bytes, at + 8, count);
  }
}
