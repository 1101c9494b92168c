package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.jspecify.annotations.Nullable;

/** Datagrams with look-ahead: at most {@link ArrivalClock#LOOK_AHEAD} of 64 KiB are held. */
final class FileDatagrams implements Closeable {
  /**
   * {@code bytes} from {@code offset} on, as {@link Datagrams} has it; source null if unknown;
   * capture or export time, µs.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Datagram(
      byte[] bytes,
      int offset,
      int length,
      int linkType,
      @Nullable IpAddress source,
      int port,
      long time) {
    Datagram copy() {
      byte[] kept = Arrays.copyOfRange(bytes, offset, offset + length);
      return new Datagram(kept, 0, length, linkType, source, port, time);
    }
  }

  private final Datagrams file;
  private final Queue<Datagram> held = new ArrayDeque<>();
  // An error during look-ahead, to be thrown in its turn.
  private @Nullable IOException failed;

  FileDatagrams(Datagrams file) {
    this.file = file;
  }

  /** Valid until the next call, null at the end; errors as in {@link Datagrams#next}. */
  @Nullable Datagram next() throws IOException {
    if (!held.isEmpty()) {
      return held.remove();
    }
    if (failed != null) {
      throw failed;
    }
    return read();
  }

  private @Nullable Datagram read() throws IOException {
    return file.next()
        ? new Datagram(
            file.bytes(),
            file.offset(),
            file.length(),
            file.linkType(),
            file.source(),
            file.sourcePort(),
            file.timeMicros())
        : null;
  }

  /** Times after the current datagram, µs, which is void afterwards; returns how many. */
  int readAhead(long[] times) {
    try {
      while (held.size() < times.length && failed == null) {
        Datagram next = read();
        if (next == null) {
          break;
        }
        held.add(next.copy());
      }
    } catch (IOException e) {
      failed = e;
    }
    int count = 0;
    for (Datagram datagram : held) {
      times[count++] = datagram.time();
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
