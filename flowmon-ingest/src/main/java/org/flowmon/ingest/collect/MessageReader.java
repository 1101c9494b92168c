package org.flowmon.ingest.collect;

import static org.flowmon.flow.bytes.BigEndian.getU16;

import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts a stream of bytes into IPFIX messages, by the length in their headers (RFC 7011 section
 * 10.4.3). Its buffer has the size of the longest one.
 *
 * <pre>
 * IPFIX header, 16 bytes: version 2 (10) | length 2, the header included | export time 4 | ...
 * </pre>
 */
final class MessageReader {
  static final int HEADER_BYTES = 16;
  private static final int IPFIX = 10;
  private static final int CAPACITY = 1 << 16;

  /** What is next in the stream. */
  enum Next {
    /** A whole message, from {@link #offset} on. */
    MESSAGE,
    /** A part of a message, or nothing: {@link #fill}. */
    MORE,
    /** Something else; what follows cannot be cut. */
    NOT_IPFIX,
    /** A message that says to be shorter than its header, likewise. */
    BAD_LENGTH
  }

  private final byte[] bytes = new byte[CAPACITY];
  private int from;
  private int to;
  private int offset;
  private int length;

  /** Looks at what has come, and steps over it if it is a message. */
  Next next() {
    int there = to - from;
    // By the first byte already: who sends anything else does not get to the second.
    if ((there >= 1 && bytes[from] != 0) || (there >= 2 && getU16(bytes, from) != IPFIX)) {
      return Next.NOT_IPFIX;
    }
    if (there < 4) {
      return Next.MORE;
    }
    int told = getU16(bytes, from + 2);
    if (told < HEADER_BYTES) {
      return Next.BAD_LENGTH;
    }
    if (there < told) {
      return Next.MORE;
    }
    offset = from;
    length = told;
    from += told;
    return Next.MESSAGE;
  }

  /** Waits for bytes after {@link Next#MORE}; false at the stream's end. */
  boolean fill(InputStream in) throws IOException {
    if (from > 0) {
      System.arraycopy(bytes, from, bytes, 0, to - from);
      to -= from;
      from = 0;
    }
    int more = in.read(bytes, to, CAPACITY - to);
    to += Math.max(0, more);
    return more >= 0;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Of the message, until the next call of {@link #fill}. */
  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /** How many bytes of the next message have come. */
  int partBytes() {
    return to - from;
  }

  /** Where these begin. */
  int partOffset() {
    return from;
  }
}
