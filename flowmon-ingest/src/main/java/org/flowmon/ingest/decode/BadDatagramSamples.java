package org.flowmon.ingest.decode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;

/**
 * The last datagrams that were dropped or damaged, some for each reason, so that one can look at
 * what an exporter really sent. Thread-safe.
 */
public final class BadDatagramSamples {
  /** Bytes kept of a datagram. */
  public static final int MAX_BYTES = 2048;

  /**
   * One of them.
   *
   * @param reason why
   * @param exporter who sent it, null where that is not known
   * @param port from which port
   * @param arrival when, µs
   * @param length its length in bytes
   * @param bytes its first {@link #MAX_BYTES}
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody, and owned by nobody else
  public record Sample(
      IngestCounter reason, IpAddress exporter, int port, long arrival, int length, byte[] bytes) {}

  private final int perReason;
  private final Map<IngestCounter, Deque<Sample>> samples = new EnumMap<>(IngestCounter.class);

  /**
   * @param perReason how many are kept for each reason
   */
  public BadDatagramSamples(int perReason) {
    this.perReason = perReason;
  }

  /** Keeps a copy of a datagram in place of the oldest of its reason. */
  public synchronized void add(
      IngestCounter reason,
      byte[] datagram,
      int offset,
      int length,
      IpAddress exporter,
      int port,
      long arrival) {
    if (perReason < 1) {
      return;
    }
    Deque<Sample> ring = samples.computeIfAbsent(reason, r -> new ArrayDeque<>());
    if (ring.size() == perReason) {
      ring.removeFirst();
    }
    byte[] kept = Arrays.copyOfRange(datagram, offset, offset + Math.min(length, MAX_BYTES));
    ring.addLast(new Sample(reason, exporter, port, arrival, length, kept));
  }

  /** All that are kept now, by reason, the oldest first. */
  public synchronized List<Sample> samples() {
    List<Sample> all = new ArrayList<>();
    samples.values().forEach(all::addAll);
    return all;
  }

  /**
   * Writes each as a file {@code <reason>-<arrival>-<exporter>-<port>-<number>.dat} that holds its
   * bytes.
   *
   * @return how many were written
   */
  public int writeTo(Path folder) throws IOException {
    Files.createDirectories(folder);
    int number = 0;
    for (Sample sample : samples()) {
      String name =
          sample.reason().label()
              + "-"
              + sample.arrival()
              + "-"
              + String.valueOf(sample.exporter()).replace(':', '_')
              + "-"
              + sample.port()
              + "-"
              + number++
              + ".dat";
      Files.write(folder.resolve(name), sample.bytes());
    }
    return number;
  }
}
