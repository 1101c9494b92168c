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

/** The latest bad datagrams of each reason, to see what an exporter really sent. Thread-safe. */
public final class BadDatagramSamples {
  public static final int MAX_BYTES = 2048;

  /** Its first {@link #MAX_BYTES}, with length, arrival (µs) and exporter (null if unknown). */
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

  public BadDatagramSamples(int perReason) {
    this.perReason = perReason;
  }

  /** Keeps a copy in place of the oldest with the same reason. */
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

  /** Writes files {@code <reason>-<arrival>-<exporter>-<port>-<number>.dat}; returns how many. */
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
