package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams of a capture or an IPFIX file, with some look-ahead: at most {@link
 * ArrivalClock#LOOK_AHEAD} datagrams of 64 KiB are held.
 */
final class FileDatagrams implements Closeable {
  /**
   * A datagram.
   *
   * @param bytes hold it from {@code offset} on
   * @param source the sender, null if unknown
   * @param time of capture or export, µs since 1970
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Datagram(
      byte[] bytes, int offset, int length, @Nullable IpAddress source, int port, long time) {
    Datagram copy() {
      byte[] kept = Arrays.copyOfRange(bytes, offset, offset + length);
      return new Datagram(kept, 0, length, source, port, time);
    }
  }

  private final Datagrams file;
  private final Queue<Datagram> held = new ArrayDeque<>();
  // An error during look-ahead, to be thrown in its turn.
  private @Nullable IOException failed;

  FileDatagrams(Datagrams file) {
    this.file = file;
  }

  /**
   * Returns the next datagram, valid until the next call; null at the end.
   *
   * @throws IOException naming the file and the place if it does not continue in the format of its
   *     beginning
   */
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
            file.source(),
            file.sourcePort(),
            file.timeMicros())
        : null;
  }

  /**
   * Reads the times of the datagrams after the current one, µs, which is void afterwards.
   *
   * @return how many there are
   */
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
