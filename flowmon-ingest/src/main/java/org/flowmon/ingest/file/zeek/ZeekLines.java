package org.flowmon.ingest.file.zeek;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.ingest.file.line.Line;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.jspecify.annotations.Nullable;

/** The lines of a log, with some look-ahead. */
final class ZeekLines implements Closeable {
  /** The most bytes of lines held ahead; the last line may exceed it. */
  private static final int MOST_HELD = 4 << 20;

  private final LineReader reader;
  private final boolean isLive;
  private Line line;
  // Lines read ahead; those before {@code next} have been returned.
  private final List<Line> held = new ArrayList<>();
  private int next;
  private long heldBytes;

  /**
   * Of a live input only lines that are there are looked at ahead: a flow must not wait for more.
   */
  ZeekLines(InputStream in, boolean isLive) {
    this.isLive = isLive;
    this.reader = new LineReader(in);
    this.line = reader.line();
  }

  boolean next() throws IOException {
    if (next < held.size()) {
      line = held.get(next++);
      heldBytes -= line.to();
      return true;
    }
    held.clear();
    next = 0;
    line = reader.line();
    return reader.next();
  }

  /** Looking ahead invalidates its bytes. */
  Line line() {
    return line;
  }

  /** So many lines in between; false also if these are too long to be held. */
  boolean hasAhead(int place) throws IOException {
    while (held.size() - next <= place) {
      if (heldBytes > MOST_HELD || (isLive && !reader.isThere()) || !reader.next()) {
        return false;
      }
      if (next > ArrivalClock.LOOK_AHEAD) {
        held.subList(0, next).clear();
        next = 0;
      }
      Line copy = reader.line().copy();
      held.add(copy);
      heldBytes += copy.to();
    }
    return true;
  }

  Line ahead(int place) {
    return held.get(next + place);
  }

  long number() {
    return reader.line().number();
  }

  /** The damage that ended the stream early, null if there is none. */
  @Nullable String damage() {
    return reader.damage();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
