package org.flowmon.ingest.file.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.file.reader.ArrivalClock;

/**
 * The datagrams of a capture or an IPFIX file, with some look-ahead: at most {@link
 * ArrivalClock#LOOK_AHEAD} datagrams of 64 KiB are held.
 */
final class FileDatagrams implements Closeable {
  /** A datagram that was read ahead. */
  private static final class Held {
    private final byte[] bytes;
    private final IpAddress source;
    private final int sourcePort;
    private final long time;

    Held(FileDatagrams of) {
      bytes = Arrays.copyOfRange(of.bytes, of.offset, of.offset + of.length);
      source = of.source;
      sourcePort = of.sourcePort;
      time = of.time;
    }
  }

  /** Moves the file to its next datagram and takes it. */
  private interface Step {
    boolean next() throws IOException;
  }

  private final Closeable file;
  private final Step step;
  private final Queue<Held> held = new ArrayDeque<>();
  // An error during look-ahead, to be thrown in its turn.
  private IOException failed;
  private byte[] bytes;
  private int offset;
  private int length;
  private IpAddress source;
  private int sourcePort;
  private long time;

  private FileDatagrams(PcapReader reader) {
    file = reader;
    step =
        () -> {
          boolean any = reader.next();
          if (any) {
            bytes = reader.bytes();
            offset = reader.offset();
            length = reader.length();
            source = reader.source();
            sourcePort = reader.sourcePort();
            time = reader.timeMicros();
          }
          return any;
        };
  }

  private FileDatagrams(IpfixFileReader reader) {
    file = reader;
    step =
        () -> {
          boolean any = reader.next();
          if (any) {
            bytes = reader.bytes();
            offset = 0;
            length = reader.length();
            time = reader.exportMicros();
          }
          return any;
        };
  }

  static FileDatagrams ofCapture(Path file, IngestCounters counters) throws IOException {
    return new FileDatagrams(PcapReader.open(file, counters));
  }

  /** Opens an IPFIX file, which names neither the senders nor their ports. */
  static FileDatagrams ofIpfix(Path file) throws IOException {
    return new FileDatagrams(IpfixFileReader.open(file));
  }

  /**
   * Moves to the next datagram.
   *
   * @return false at the end
   * @throws IOException naming the file and the place if it does not continue in the format of its
   *     beginning
   */
  boolean next() throws IOException {
    if (!held.isEmpty()) {
      take(held.remove());
      return true;
    }
    if (failed != null) {
      throw failed;
    }
    return step.next();
  }

  private void take(Held datagram) {
    bytes = datagram.bytes;
    offset = 0;
    length = bytes.length;
    source = datagram.source;
    sourcePort = datagram.sourcePort;
    time = datagram.time;
  }

  /**
   * Reads the times of the datagrams after the current one, µs.
   *
   * @return how many there are
   */
  int readAhead(long[] times) {
    Held atHand = new Held(this);
    while (held.size() < times.length && failed == null && readOne()) {
      held.add(new Held(this));
    }
    take(atHand);
    int count = 0;
    for (Held datagram : held) {
      times[count++] = datagram.time;
    }
    return count;
  }

  private boolean readOne() {
    try {
      return step.next();
    } catch (IOException e) {
      failed = e;
      return false;
    }
  }

  /** The buffer of the datagram, valid until the next {@link #next}. */
  byte[] bytes() {
    return bytes;
  }

  int offset() {
    return offset;
  }

  /** The number of bytes of the datagram. */
  int length() {
    return length;
  }

  /** The sender, null if unknown. */
  IpAddress source() {
    return source;
  }

  int sourcePort() {
    return sourcePort;
  }

  /** The time of capture or export, µs since 1970. */
  long timeMicros() {
    return time;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
