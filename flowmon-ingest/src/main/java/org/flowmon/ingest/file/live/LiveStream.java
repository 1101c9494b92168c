package org.flowmon.ingest.file.live;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/**
 * A live source as a stream. A reader of live text reads on without anything {@link #available}
 * only when it has handed on the flows of all whole lines: {@link Waiting} is called then. While
 * much comes, nothing is available once a second.
 */
public final class LiveStream extends InputStream {
  /** What is done while nothing comes, in the reader's thread and between two flows. */
  public interface Waiting {
    /**
     * Called before each wait.
     *
     * @param taken bytes up to the end of the last whole line, all of whose flows are handed on
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
  private long given;
  private long taken;
  private boolean ended;
  private long waitedNanos = System.nanoTime();

  public LiveStream(LiveSource source, Waiting waiting) {
    this.source = source;
    this.waiting = waiting;
  }

  @Override
  public int available() throws IOException {
    return isWaitDue() ? 0 : there();
  }

  private boolean isWaitDue() {
    return System.nanoTime() - waitedNanos >= MOST_NANOS;
  }

  private int there() throws IOException {
    if (at == bytes.length && !ended) {
      fill(0);
    }
    return bytes.length - at;
  }

  private void fill(long millis) throws IOException {
    var next = source.next(millis);
    bytes = next.orElse(new byte[0]);
    at = 0;
    ended = next.isEmpty();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    Objects.checkFromIndexSize(from, most, into.length);
    while (isWaitDue() || there() == 0) {
      if (!waiting.goOn(taken)) {
        return -1;
      }
      waitedNanos = System.nanoTime();
      if (there() == 0) {
        if (ended) {
          return -1;
        }
        fill(WAIT_MILLIS);
      }
    }
    int length = Math.min(most, bytes.length - at);
    System.arraycopy(bytes, at, into, from, length);
    for (int i = length - 1; i >= 0; i--) {
      if (into[from + i] == '\n') {
        taken = given + i + 1;
        break;
      }
    }
    at += length;
    given += length;
    return length;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
