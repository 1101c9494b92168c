package org.flowmon.ingest.file.line;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * Finds the ends of records (RFC 4180): line feeds outside of quotes, which open at a field's first
 * byte. If they are unbalanced within {@link LineReader#MAX_LINE_BYTES}, the first line alone is a
 * record, so that it does not swallow others. How much of a file is in memory does not matter.
 */
public final class CsvRecords {
  static final int OPEN = -1;

  private static final long QUOTES = 0x2222_2222_2222_2222L;
  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private final byte separator;
  private boolean malformed;

  public CsvRecords(byte separator) {
    this.separator = separator;
  }

  /** The last record of {@link #end} is a line with unbalanced quotes. */
  public boolean malformed() {
    return malformed;
  }

  /** After its line feed; {@link #OPEN} if that lies past {@code limit}, never if {@code last}. */
  public int end(byte[] bytes, int from, int limit, boolean last) {
    malformed = false;
    int at = from;
    while (at < limit) {
      if (bytes[at] == '"') {
        int close = closingQuote(bytes, at + 1, Math.min(limit, from + LineReader.MAX_LINE_BYTES));
        if (close < 0 && !last && limit - from < LineReader.MAX_LINE_BYTES) {
          return OPEN;
        }
        if (close >= 0 && close + 1 == limit && !last) {
          return OPEN; // a second quote may follow
        }
        at = close + 1;
        if (close < 0 || !endsField(bytes, at, limit)) {
          return firstLine(bytes, from, limit, last);
        }
        at += at < limit && bytes[at] == '\r' ? 1 : 0;
      } else {
        while (at < limit && bytes[at] != separator && bytes[at] != '\n') {
          at++;
        }
      }
      if (at < limit && bytes[at] == '\n') {
        return at + 1;
      }
      at++;
    }
    return last ? limit : OPEN;
  }

  private static int closingQuote(byte[] bytes, int from, int limit) {
    for (int at = from; at < limit; at++) {
      if (bytes[at] == '"') {
        if (at + 1 == limit || bytes[at + 1] != '"') {
          return at;
        }
        at++;
      }
    }
    return -1;
  }

  private boolean endsField(byte[] bytes, int at, int limit) {
    return at >= limit
        || bytes[at] == separator
        || bytes[at] == '\n'
        || (bytes[at] == '\r' && (at + 1 >= limit || bytes[at + 1] == '\n'));
  }

  private int firstLine(byte[] bytes, int from, int limit, boolean last) {
    malformed = true;
    for (int at = from; at < limit; at++) {
      if (bytes[at] == '\n') {
        return at + 1;
      }
    }
    return last ? limit : OPEN;
  }

  /** The place after the last whole record of [0, limit), 0 if there is none. */
  public int lastEnd(byte[] bytes, int limit, boolean last) {
    if (last) {
      return limit;
    }
    if (!hasQuote(bytes, limit)) {
      int at = limit;
      while (at > 0 && bytes[at - 1] != '\n') {
        at--;
      }
      return at;
    }
    int at = 0;
    for (int end = end(bytes, 0, limit, false); end >= 0; end = end(bytes, at, limit, false)) {
      at = end;
      if (at == limit) {
        break;
      }
    }
    return at;
  }

  private static boolean hasQuote(byte[] bytes, int limit) {
    int at = 0;
    for (; at <= limit - 8; at += 8) {
      long same = LittleEndian.getLong(bytes, at) ^ QUOTES;
      if ((same - LOW_BITS & ~same & HIGH_BITS) != 0) {
        return true;
      }
    }
    for (; at < limit; at++) {
      if (bytes[at] == '"') {
        return true;
      }
    }
    return false;
  }

  public List<String> fields(byte[] bytes, int from, int end) {
    int to = end > from && bytes[end - 1] == '\n' ? end - 1 : end;
    to = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    List<String> fields = new ArrayList<>();
    int at = from;
    while (at <= to) {
      int stop = at;
      if (at < to && bytes[at] == '"') {
        stop = closingQuote(bytes, at + 1, to);
        stop = stop < 0 ? to : stop;
        fields.add(text(bytes, at + 1, stop).replace("\"\"", "\""));
      }
      int begin = stop;
      while (stop < to && bytes[stop] != separator) {
        stop++;
      }
      if (begin == at) {
        fields.add(text(bytes, at, stop));
      }
      at = stop + 1;
    }
    return fields;
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }
}
