package org.flowmon.ingest.file.line;

import java.util.Arrays;

/** A line of a file, as a range of a buffer. {@link LineReader} reuses its own. */
public final class Line {
  byte[] bytes;
  int from;
  int to;
  long number;
  boolean tooLong;
  boolean cutShort;

  Line(byte[] bytes) {
    this.bytes = bytes;
  }

  public Line copy() {
    Line copy = new Line(Arrays.copyOfRange(bytes, from, to));
    copy.to = to - from;
    copy.number = number;
    copy.tooLong = tooLong;
    copy.cutShort = cutShort;
    return copy;
  }

  /** The buffer of the line, which nobody else may change. */
  public byte[] bytes() {
    return bytes;
  }

  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** The line's number, from 1. */
  public long number() {
    return number;
  }

  public boolean isTooLong() {
    return tooLong;
  }

  public boolean isCutShort() {
    return cutShort;
  }
}
