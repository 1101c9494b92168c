package org.flowmon.ingest.file.row;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.ZipException;
import org.flowmon.ingest.file.line.CsvRecords;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.DamagedInputException;
import org.jspecify.annotations.Nullable;

/**
 * A text file as pieces of whole records, parsed in parallel. A piece ends with a line feed, which
 * is added if it lacks. Cuts depend on the file alone, of a live input also on when it comes. Lines
 * that fill a buffer are cut.
 */
final class TextChunks implements Closeable {
  /** Twice the longest record, so that each is seen whole. */
  static final int BUFFER = 2 * LineReader.MAX_LINE_BYTES;

  /** A piece of whole records. */
  static final class Chunk {
    private final byte[] bytes;
    private final int length;
    private final boolean tooLong;

    Chunk(byte[] bytes, int length, boolean tooLong) {
      this.bytes = bytes;
      this.length = length;
      this.tooLong = tooLong;
    }

    /** {@link #length} are in use; {@link #release} gives them back. */
    byte[] bytes() {
      return bytes;
    }

    int length() {
      return length;
    }

    boolean tooLong() {
      return tooLong;
    }
  }

  private final InputStream in;
  private final @Nullable CsvRecords records;
  private final boolean isLive;
  private final Queue<byte[]> free = new ConcurrentLinkedQueue<>();
  private byte[] carry = {};
  private boolean ended;
  private @Nullable String damage;

  /**
   * {@code records} finds the ends; null: at each line feed. If the input is live, a piece also
   * ends when there is no more for now.
   */
  TextChunks(InputStream in, @Nullable CsvRecords records, boolean isLive) {
    this.in = in;
    this.records = records;
    this.isLive = isLive;
  }

  /** Null at the end; the caller must release it. */
  @Nullable Chunk next() throws IOException {
    byte[] buffer = free.poll();
    buffer = buffer == null ? new byte[BUFFER + 1] : buffer;
    System.arraycopy(carry, 0, buffer, 0, carry.length);
    int limit = carry.length;
    carry = new byte[0];
    limit = fill(buffer, limit);
    if (limit == 0) {
      free.add(buffer);
      return null;
    }
    if (damage != null) {
      return whole(buffer, limit);
    }
    int end = lastEnd(buffer, limit);
    while (end == 0 && isLive && !ended && limit < BUFFER) {
      limit = fill(buffer, limit); // a record of several lines, whose last is still to come
      end = lastEnd(buffer, limit);
    }
    if (end == 0) {
      skipRestOfLine();
      return new Chunk(buffer, LineReader.MAX_LINE_BYTES, true);
    }
    carry = Arrays.copyOfRange(buffer, end, limit);
    if (buffer[end - 1] != '\n') {
      buffer[end++] = '\n';
    }
    return new Chunk(buffer, end, false);
  }

  private Chunk whole(byte[] buffer, int limit) {
    int end = limit;
    while (end > 0 && buffer[end - 1] != '\n') {
      end--;
    }
    cutShort = Arrays.copyOfRange(buffer, end, limit);
    return new Chunk(buffer, end, false);
  }

  private byte[] cutShort = {};

  private int lastEnd(byte[] buffer, int limit) {
    if (records != null) {
      return records.lastEnd(buffer, limit, ended);
    }
    int end = limit;
    while (!ended && end > 0 && buffer[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  private int fill(byte[] buffer, int from) throws IOException {
    int limit = from;
    while (!ended && limit < BUFFER && !isPause(buffer, from, limit)) {
      int read = read(buffer, limit, BUFFER - limit);
      if (read < 0) {
        ended = true;
      } else {
        limit += read;
      }
    }
    return limit;
  }

  /** Whether a live input has given whole lines and nothing follows for now. */
  private boolean isPause(byte[] buffer, int from, int limit) throws IOException {
    if (!isLive || in.available() > 0) {
      return false;
    }
    for (int i = limit - 1; i >= from; i--) {
      if (buffer[i] == '\n') {
        return true;
      }
    }
    return false;
  }

  private int read(byte[] buffer, int at, int length) throws IOException {
    try {
      return in.read(buffer, at, length);
    } catch (DamagedInputException e) {
      damage = e.getMessage();
      return -1;
    } catch (EOFException | ZipException e) {
      damage = "the compressed data is damaged: " + e.getMessage();
      return -1;
    }
  }

  private void skipRestOfLine() throws IOException {
    byte[] some = new byte[1 << 16];
    while (!ended) {
      int read = read(some, 0, some.length);
      ended = read < 0;
      for (int i = 0; i < read; i++) {
        if (some[i] == '\n') {
          carry = Arrays.copyOfRange(some, i + 1, read);
          return;
        }
      }
    }
  }

  void release(Chunk chunk) {
    free.add(chunk.bytes());
  }

  /** The damage that ended the file early, null if there is none. */
  @Nullable String damage() {
    return damage;
  }

  /** The beginning of a damaged file's last line. */
  byte[] cutShort() {
    return cutShort;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
