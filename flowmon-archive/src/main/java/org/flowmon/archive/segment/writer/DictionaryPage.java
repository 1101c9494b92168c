package org.flowmon.archive.segment.writer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a dictionary: the page of every Parquet reader, and the side table by which flowmon finds
 * an entry. Fields are of the last written. Not thread-safe.
 */
final class DictionaryPage {
  private static final byte[][] OCTETS = new byte[256][];

  static {
    for (int i = 0; i < OCTETS.length; i++) {
      OCTETS[i] = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** The side table; empty if there is none. */
  final ByteSink side = new ByteSink();

  int sideWidth;

  // By bytes; null for numbers.
  private byte @Nullable [] smallestText;
  private byte @Nullable [] largestText;

  byte[] smallestText() {
    return Objects.requireNonNull(smallestText, "a dictionary of numbers");
  }

  byte[] largestText() {
    return Objects.requireNonNull(largestText, "a dictionary of numbers");
  }

  void clear() {
    side.clear();
    smallestText = null;
    largestText = null;
  }

  void put(ColumnType type, boolean ipv4Only, DictionaryBuilder dictionary, ByteSink page) {
    switch (type) {
      case ADDRESS -> putAddresses(ipv4Only, dictionary, page);
      case TEXT -> {
        sideWidth = 4;
        for (int i = 0; i < dictionary.size; i++) {
          side.putInt(page.size());
          page.putInt(dictionary.texts.length(i));
          dictionary.texts.write(i, page);
        }
        if (dictionary.size > 0) { // they are in order
          note(dictionary.texts.text(0));
          note(dictionary.texts.text(dictionary.size - 1));
        }
      }
      default -> {
        if (SegmentFormat.width(type) == 4) {
          page.putInts(dictionary.low, 0, dictionary.size);
        } else {
          page.putLongs(dictionary.low, 0, dictionary.size);
        }
      }
    }
  }

  private void putAddresses(boolean ipv4Only, DictionaryBuilder dictionary, ByteSink page) {
    sideWidth = ipv4Only ? 4 : 16;
    for (int i = 0; i < dictionary.size; i++) {
      if (ipv4Only) {
        side.putIntBigEndian((int) dictionary.low[i]);
        putIpv4((int) dictionary.low[i], page);
      } else {
        side.putLongBigEndian(dictionary.high[i]);
        side.putLongBigEndian(dictionary.low[i]);
        byte[] text =
            IpAddress.format(dictionary.high[i], dictionary.low[i])
                .getBytes(StandardCharsets.US_ASCII);
        putText(text, page);
        note(text);
      }
    }
  }

  private void putIpv4(int address, ByteSink page) {
    int at = page.size();
    page.putInt(0);
    for (int shift = 24; shift >= 0; shift -= 8) {
      byte[] digits = OCTETS[address >>> shift & 0xFF];
      page.write(digits, 0, digits.length);
      if (shift > 0) {
        page.write('.');
      }
    }
    page.setInt(at, page.size() - at - 4);
    note(page.array(), at + 4, page.size());
  }

  private static void putText(byte[] utf8, ByteSink page) {
    page.putInt(utf8.length);
    page.write(utf8, 0, utf8.length);
  }

  private void note(byte[] text) {
    note(text, 0, text.length);
  }

  private void note(byte[] source, int from, int to) {
    if (smallestText == null
        || Arrays.compareUnsigned(source, from, to, smallestText, 0, smallestText.length) < 0) {
      smallestText = Arrays.copyOfRange(source, from, to);
    }
    if (largestText == null
        || Arrays.compareUnsigned(source, from, to, largestText, 0, largestText.length) > 0) {
      largestText = Arrays.copyOfRange(source, from, to);
    }
  }
}
