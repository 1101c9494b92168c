package org.flowmon.ingest.file.zeek;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.ArrivalClock;

/** The lines of a log, with some look-ahead. */
final class ZeekLines implements Closeable {
  /** The most bytes of lines held ahead; the last line may exceed it. */
  private static final int MOST_HELD = 4 << 20;

  /** A line. */
  static final class Line {
    private byte[] bytes = {};
    private int from;
    private int to;
    private long number;
    private boolean tooLong;
    private boolean cutShort;

    private void set(LineReader reader) {
      bytes = reader.bytes();
      from = reader.from();
      to = reader.to();
      number = reader.number();
      tooLong = reader.tooLong();
      cutShort = reader.cutShort();
    }

    private Line copy() {
      Line copy = new Line();
      copy.bytes = Arrays.copyOfRange(bytes, from, to);
      copy.to = to - from;
      copy.number = number;
      copy.tooLong = tooLong;
      copy.cutShort = cutShort;
      return copy;
    }

    /** The buffer of the line, which belongs to the reader and is valid until the next line. */
    byte[] bytes() {
      return bytes;
    }

    int from() {
      return from;
    }

    int to() {
      return to;
    }

    /** The line's number, from 1. */
    long number() {
      return number;
    }

    /** Whether the line was cut to its beginning. */
    boolean isTooLong() {
      return tooLong;
    }

    /** Whether damage to the file ends this line. */
    boolean isCutShort() {
      return cutShort;
    }
  }

  private final LineReader reader;
  private final Line last = new Line();
  private Line line = last;
  // Lines read ahead; those before {@code next} have been returned.
  private final List<Line> held = new ArrayList<>();
  private int next;
  private long heldBytes;

  ZeekLines(InputStream in) {
    this.reader = new LineReader(in);
  }

  /** Moves to the next line; false at the end. */
  boolean next() throws IOException {
    if (next < held.size()) {
      line = held.get(next++);
      heldBytes -= line.to;
      return true;
    }
    held.clear();
    next = 0;
    line = last;
    return read();
  }

  private boolean read() throws IOException {
    boolean any = reader.next();
    if (any) {
      last.set(reader);
    }
    return any;
  }

  /** The current line; looking ahead invalidates its bytes. */
  Line line() {
    return line;
  }

  /**
   * Whether a line after the current one can be looked at.
   *
   * @param place how many lines lie in between; false also if these are too long to be held
   */
  boolean hasAhead(int place) throws IOException {
    while (held.size() - next <= place) {
      if (heldBytes > MOST_HELD || !read()) {
        return false;
      }
      if (next > ArrivalClock.LOOK_AHEAD) {
        held.subList(0, next).clear();
        next = 0;
      }
      Line copy = last.copy();
      held.add(copy);
      heldBytes += copy.to;
    }
    return true;
  }

  /** A line ahead, if {@link #hasAhead} is true for it. */
  Line ahead(int place) {
    return held.get(next + place);
  }

  /** The number of lines read. */
  long number() {
    return reader.number();
  }

  /** The damage that ended the stream early, null if there is none. */
  String damage() {
    return reader.damage();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
