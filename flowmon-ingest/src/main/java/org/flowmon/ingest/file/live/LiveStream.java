package org.flowmon.ingest.file.live;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.flowmon.ingest.file.line.LineReader;

/**
 * A live source as a stream of whole records: the beginning of a line stays here until its line
 * feed comes or the source ends, so that a stop makes no flow of half a line. Of a source whose
 * bytes are no text, and of a line too long for one, all that is there is given.
 *
 * <p>A reader reads on without anything {@link #available} only when it has handed on the flows of
 * all it has read: {@link Waiting} is called then. While much comes, nothing is available once a
 * second.
 */
public final class LiveStream extends InputStream {
  /** What is done while nothing comes, in the reader's thread and between two flows. */
  public interface Waiting {
    /**
     * Called before each wait.
     *
     * @param taken bytes up to the end of the last whole record that was read: all flows up to
     *     there are handed on
     * @return whether to go on; otherwise the stream ends
     */
    boolean goOn(long taken) throws IOException;
  }

  private static final long WAIT_MILLIS = 200;
  private static final long MOST_NANOS = 1_000_000_000;

  private final LiveSource source;
  private final Waiting waiting;
  private byte[] bytes = {};
  private int at;
  // Bytes from here on wait for the rest of their line.
  private int end;
  private boolean endsWhole = true;
  private long given;
  private long taken;
  private boolean ended;
  private boolean stopped;
  private Optional<Boolean> isText = Optional.empty();
  private long waitedNanos = System.nanoTime();

  public LiveStream(LiveSource source, Waiting waiting) {
    this.source = source;
    this.waiting = waiting;
  }

  @Override
  public int available() throws IOException {
    fillUnlessDue();
    return end - at;
  }

  private void fillUnlessDue() throws IOException {
    if (at == end && !ended && System.nanoTime() - waitedNanos < MOST_NANOS) {
      fill(0);
    }
  }

  /** Adds what comes to the line that waits; all before it was given. */
  private void fill(long millis) throws IOException {
    Optional<byte[]> next = source.next(millis);
    byte[] more = next.orElse(new byte[0]);
    int rest = bytes.length - end;
    if (rest > 0) {
      byte[] joined = Arrays.copyOfRange(bytes, end, end + rest + more.length);
      System.arraycopy(more, 0, joined, rest, more.length);
      bytes = joined;
    } else {
      bytes = more;
    }
    at = 0;
    ended = next.isEmpty();
    int whole = ended ? bytes.length : wholeEnd(rest);
    endsWhole = whole > 0 || bytes.length <= LineReader.MAX_LINE_BYTES;
    end = endsWhole ? whole : bytes.length;
  }

  private int wholeEnd(int scanned) {
    if (source.givesWholeRecords()) {
      return bytes.length;
    }
    if (isText.isEmpty() && bytes.length >= 2) {
      isText = Optional.of(!isControl(bytes[0]) && !isControl(bytes[1]));
    }
    if (!isText.orElse(true)) {
      return bytes.length;
    }
    int whole = bytes.length;
    while (whole > scanned && bytes[whole - 1] != '\n') {
      whole--;
    }
    return whole == scanned ? 0 : whole;
  }

  private static boolean isControl(byte b) {
    return b >= 0 && b < ' ' && b != '\t' && b != '\n' && b != '\r';
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    Objects.checkFromIndexSize(from, most, into.length);
    fillUnlessDue();
    while (at == end) {
      stopped |= !waiting.goOn(taken);
      if (stopped || ended) {
        return -1;
      }
      waitedNanos = System.nanoTime();
      fill(WAIT_MILLIS);
    }
    int length = Math.min(most, end - at);
    System.arraycopy(bytes, at, into, from, length);
    at += length;
    given += length;
    if (at == end && endsWhole) {
      taken = given;
    }
    return length;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
