package org.flowmon.ingest.file.line;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.ZipException;
import org.flowmon.flow.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a stream as ranges of one buffer, without their line feed (optional at the end) and
 * a carriage return before it. {@link #MAX_LINE_BYTES} of a line are kept, so memory is bounded.
 */
public final class LineReader implements Closeable {
  public static final int MAX_LINE_BYTES = 1 << 20;

  public static final String TOO_LONG =
      "more than " + MAX_LINE_BYTES + " bytes, the first of them are kept";

  private static final int FIRST_BUFFER = 1 << 17;

  private final InputStream in;
  private byte[] buffer = new byte[FIRST_BUFFER];
  private int next;
  private int limit;
  private boolean ended;
  private @Nullable String damage;
  private final Line line = new Line(buffer);

  public LineReader(InputStream in) {
    this.in = in;
  }

  public boolean next() throws IOException {
    line.tooLong = false;
    line.cutShort = false;
    int scan = next;
    while (true) {
      int end = lineFeed(scan);
      if (end >= 0) {
        take(end, end + 1);
        return true;
      }
      if (limit - next > MAX_LINE_BYTES) {
        skipRestOfLine();
        return true;
      }
      scan = fill();
      if (ended) {
        break;
      }
    }
    if (next == limit) {
      return false;
    }
    line.cutShort = damage != null;
    take(limit, limit);
    return true;
  }

  /** Whether {@link #next} need not wait for more, if the stream gives whole lines. */
  public boolean isThere() throws IOException {
    return lineFeed(next) >= 0 || in.available() > 0;
  }

  private int lineFeed(int scan) {
    return ByteSearch.indexOf(buffer, scan, limit, (byte) '\n');
  }

  private void take(int end, int following) {
    line.bytes = buffer;
    line.from = next;
    line.to = end > next && buffer[end - 1] == '\r' ? end - 1 : end;
    line.number++;
    if (line.to - next > MAX_LINE_BYTES) {
      line.to = next + MAX_LINE_BYTES;
      line.tooLong = true;
    }
    next = following;
  }

  /**
   * Reads on after the line at {@link #next}, which moves to the front; returns the place of the
   * new bytes.
   */
  private int fill() throws IOException {
    if (next > 0) {
      System.arraycopy(buffer, next, buffer, 0, limit - next);
      limit -= next;
      next = 0;
    }
    if (limit == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.min(2 * buffer.length, 2 * MAX_LINE_BYTES));
    }
    int scan = limit;
    int read = read(limit);
    if (read < 0) {
      ended = true;
    } else {
      limit += read;
    }
    return scan;
  }

  private int read(int at) throws IOException {
    try {
      return in.read(buffer, at, buffer.length - at);
    } catch (EOFException | ZipException e) {
      damage = "the compressed data is damaged: " + e.getMessage();
      return -1;
    }
  }

  private void skipRestOfLine() throws IOException {
    byte[] start = Arrays.copyOfRange(buffer, next, next + MAX_LINE_BYTES);
    next = limit;
    int end = -1;
    while (end < 0 && !ended) {
      next = limit;
      int scan = fill();
      end = ended ? -1 : lineFeed(scan);
    }
    int rest = end < 0 ? limit : end + 1;
    // The kept beginning replaces the line's bytes: later bytes move up.
    int left = limit - rest;
    byte[] joined = new byte[Math.max(buffer.length, MAX_LINE_BYTES + left)];
    System.arraycopy(start, 0, joined, 0, MAX_LINE_BYTES);
    System.arraycopy(buffer, rest, joined, MAX_LINE_BYTES, left);
    buffer = joined;
    next = MAX_LINE_BYTES;
    limit = MAX_LINE_BYTES + left;
    line.bytes = buffer;
    line.from = 0;
    line.to = MAX_LINE_BYTES;
    line.number++;
    line.tooLong = true;
  }

  /** Valid until the next one; line 0, empty, before the first. */
  public Line line() {
    return line;
  }

  /** The damage that ended the stream early, null if there is none. */
  public @Nullable String damage() {
    return damage;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
