package org.flowmon.ingest.file.zeek;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.ArrivalClock;

/** The lines of a log, of which some may be looked at before their turn. */
final class ZeekLines implements Closeable {
  /** Bytes of lines that are held at most, but for the last of them. */
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

    /** Holds the line; the reader's own, until the next line is asked for. */
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

    /** Whether only the beginning of the line is there. */
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
  // Read before their turn; those before next have had it.
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

  /** The line at hand; its bytes are gone once a line is looked at before its turn. */
  Line line() {
    return line;
  }

  /**
   * Whether there is a line behind the one at hand that can be looked at.
   *
   * @param place how many lines stand in between; false also where these are too long to be held
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

  /** A line before its turn, of which {@link #hasAhead} said that it is there. */
  Line ahead(int place) {
    return held.get(next + place);
  }

  /** Lines that were read. */
  long number() {
    return reader.number();
  }

  /** Why the stream ended before its time, null where it did not. */
  String damage() {
    return reader.damage();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
