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
import org.jspecify.annotations.Nullable;

/**
 * The latest dropped or damaged datagrams, several for each reason, to inspect what an exporter
 * really sent. Thread-safe.
 */
public final class BadDatagramSamples {
  /** The most bytes kept of a datagram. */
  public static final int MAX_BYTES = 2048;

  /**
   * A kept datagram.
   *
   * @param reason why it was dropped or damaged
   * @param exporter its sender, null if unknown
   * @param port the port that it was sent from
   * @param arrival when it arrived, µs
   * @param length its length in bytes
   * @param bytes its first {@link #MAX_BYTES}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not shared
  public record Sample(
      IngestCounter reason,
      @Nullable IpAddress exporter,
      int port,
      long arrival,
      int length,
      byte[] bytes) {}

  private final int perReason;
  private final Map<IngestCounter, Deque<Sample>> samples = new EnumMap<>(IngestCounter.class);

  /**
   * @param perReason the most datagrams kept for each reason
   */
  public BadDatagramSamples(int perReason) {
    this.perReason = perReason;
  }

  /** Keeps a copy of a datagram in place of the oldest with the same reason. */
  public synchronized void add(
      IngestCounter reason,
      byte[] datagram,
      int offset,
      int length,
      @Nullable IpAddress exporter,
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

  /** All kept datagrams by reason, the oldest first. */
  public synchronized List<Sample> samples() {
    List<Sample> all = new ArrayList<>();
    samples.values().forEach(all::addAll);
    return all;
  }

  /**
   * Writes the bytes of each datagram to a file {@code
   * <reason>-<arrival>-<exporter>-<port>-<number>.dat}.
   *
   * @return the number of files
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
