package org.flowmon.archive.derived;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.flowmon.archive.region.MappedRegion;

/**
 * Parser of a run's tables, from their beginning to the tail ({@link RunFrame}). Trusts nothing:
 * missing or wrong bytes are an error that names the file.
 */
public final class RunTables {
  private final MappedRegion file;
  private final RunFrame frame;
  private final ByteBuffer bytes;
  private final int tail;
  private int at;

  /** Checks both ends like {@link RunFrame#check}; the tables are not begun. */
  public RunTables(MappedRegion file, RunFrame frame) {
    this.file = file;
    this.frame = frame;
    this.bytes = file.buffer();
    this.tail = file.length() - frame.tailBytes();
    this.at = tail;
    expect(tail >= RunFrame.HEADER_BYTES, "a run in " + file.length() + " bytes");
    frame.check(file);
  }

  public int version() {
    return RunFrame.versionOf(file);
  }

  public int tailInt(int offset) {
    return bytes.getInt(tail + offset);
  }

  public long tailLong(int offset) {
    return bytes.getLong(tail + offset);
  }

  /**
   * Goes to the tables, of {@code length} bytes before the tail and at least 0, as the caller has
   * to check; checks their checksum and archive.
   */
  public void begin(int length, UUID archive) {
    expect(length <= tail - RunFrame.HEADER_BYTES, "tables in " + length + " bytes");
    at = tail - length;
    int end = file.length() - RunFrame.END_BYTES;
    file.verify(frame.place(), at, end - at, bytes.getInt(end));
    UUID of = new UUID(tailLong(0), tailLong(8));
    expect(of.equals(archive), "archive " + archive + ", found " + of);
  }

  public int at() {
    return at;
  }

  /** Skips bytes that are read in place. */
  public void skip(long count) {
    need(count);
    at += (int) count;
  }

  public int readByte() {
    need(1);
    return bytes.get(at++) & 0xFF;
  }

  public int readInt() {
    need(Integer.BYTES);
    at += Integer.BYTES;
    return bytes.getInt(at - Integer.BYTES);
  }

  public long readLong() {
    need(Long.BYTES);
    at += Long.BYTES;
    return bytes.getLong(at - Long.BYTES);
  }

  /** Reads a covered segment, numbered for errors. */
  public DerivedRun.Covered readCovered(int number) {
    byte[] id = new byte[readByte()];
    expect(id.length > 0, "the id of segment " + number);
    need(id.length);
    bytes.get(at, id);
    at += id.length;
    return new DerivedRun.Covered(new String(id, StandardCharsets.US_ASCII), readInt());
  }

  /** Checks that so many bytes remain, before memory is allocated for them. */
  public void need(long more) {
    expect(more <= tail - at, more + " bytes of the tables at " + at);
  }

  public void end() {
    expect(at == tail, "segments that end at " + tail + ", found " + at);
  }

  public void expect(boolean holds, String what) {
    if (!holds) {
      throw file.corrupt(frame.place(), "expected " + what);
    }
  }
}
