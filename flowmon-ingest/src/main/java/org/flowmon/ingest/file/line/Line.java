package org.flowmon.ingest.file.line;

import java.util.Arrays;

/** A line as a range of a buffer, which {@link LineReader} reuses. */
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

  /** With a buffer of its own. */
  public Line copy() {
    Line copy = new Line(Arrays.copyOfRange(bytes, from, to));
    copy.to = to - from;
    copy.number = number;
    copy.tooLong = tooLong;
    copy.cutShort = cutShort;
    return copy;
  }

  /** Nobody else may change it. */
  public byte[] bytes() {
    return bytes;
  }

  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** From 1. */
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
