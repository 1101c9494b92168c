package org.flowmon.ingest.decode.exporter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.jspecify.annotations.Nullable;

/**
 * Sets of data whose template has not come yet, within a limit for each exporter and one for all:
 * beyond the first a set is dropped at once, beyond the other the oldest ones are. Each is dropped
 * or taken once, and whichever is counted.
 */
public final class WaitingSets {
  /** Estimated heap of a set without its bytes, with its share of maps and datagram. */
  private static final long SET_BYTES = 320;

  /** Exporter, and version and domain of any port. */
  private record Key(long hi, long lo, long session) implements Comparable<Key> {
    static Key of(int version, @Nullable IpAddress exporter, long domain) {
      ObservationDomain.Key any =
          ObservationDomain.Key.of(version, exporter, ObservationDomain.ANY_PORT, domain);
      return new Key(exporter == null ? -1 : exporter.hi(), any.address(), any.session());
    }

    /** Differs from process to process, see {@link TableHash}. */
    @Override
    public int hashCode() {
      return (int) TableHash.of(hi ^ session, lo);
    }

    @Override
    public int compareTo(Key other) {
      int addresses = IpAddress.compare(hi, lo, other.hi, other.lo);
      return addresses != 0 ? addresses : Long.compare(session, other.session);
    }
  }

  /** A set that waits. */
  public static final class Waiting {
    private final Key key;
    private final HeldDatagram datagram;
    private final int id;
    private final byte[] bytes;
    private final long arrival;
    private boolean isOver;

    private Waiting(Key key, HeldDatagram datagram, int id, byte[] bytes) {
      this.key = key;
      this.datagram = datagram;
      this.id = id;
      this.bytes = bytes;
      this.arrival = datagram.header().arrival;
    }

    public HeldDatagram datagram() {
      return datagram;
    }

    public int id() {
      return id;
    }

    /** Its records. */
    public byte[] bytes() {
      return bytes;
    }

    private long heap() {
      return SET_BYTES + bytes.length;
    }
  }

  private final DecoderLimits limits;
  private final Deque<Waiting> oldestFirst = new ArrayDeque<>(0); // those that are over linger
  private final Map<Key, List<Waiting>> byKey = new HashMap<>(0);
  private final Map<Exporter.Source, Long> bytesOf = new HashMap<>(0);
  private long bytes;

  public WaitingSets(DecoderLimits limits) {
    this.limits = limits;
  }

  public long bytes() {
    return bytes;
  }

  long bytes(Exporter.Source source) {
    return bytesOf.getOrDefault(source, 0L);
  }

  public boolean isEmpty() {
    return bytes == 0;
  }

  /** Keeps a copy of a set's records; false if there is no room for it, then it is not counted. */
  public boolean hold(HeldDatagram datagram, int version, int id, byte[] from, int at, int end) {
    DatagramHeader header = datagram.header();
    Exporter.Source source = Exporter.Source.of(header.exporter);
    long more = SET_BYTES + end - at;
    if (bytesOf.getOrDefault(source, 0L) + more > limits.waitingBytesOfExporter()) {
      return false;
    }
    while (!oldestFirst.isEmpty() && bytes + more > limits.waitingBytes()) {
      dropOldest();
    }
    if (bytes + more > limits.waitingBytes()) {
      return false;
    }
    Waiting waiting =
        new Waiting(
            Key.of(version, header.exporter, header.domain),
            datagram,
            id,
            Arrays.copyOfRange(from, at, end));
    oldestFirst.add(waiting);
    byKey.computeIfAbsent(waiting.key, k -> new ArrayList<>(1)).add(waiting);
    bytesOf.merge(source, more, Long::sum);
    bytes += more;
    datagram.waits();
    return true;
  }

  /** The sets of a domain's data, of any port, oldest first. */
  public List<Waiting> of(int version, DatagramHeader header) {
    return List.copyOf(
        byKey.getOrDefault(Key.of(version, header.exporter, header.domain), List.of()));
  }

  /** The caller decodes it. */
  public void take(Waiting waiting) {
    waiting.isOver = true;
    List<Waiting> others = Objects.requireNonNull(byKey.get(waiting.key), "it waits");
    others.remove(waiting);
    if (others.isEmpty()) {
      byKey.remove(waiting.key);
    }
    Exporter.Source source = Exporter.Source.of(waiting.datagram.header().exporter);
    bytesOf.computeIfPresent(
        source, (s, all) -> all > waiting.heap() ? all - waiting.heap() : null);
    bytes -= waiting.heap();
    while (!oldestFirst.isEmpty() && oldestFirst.getFirst().isOver) {
      oldestFirst.removeFirst();
    }
  }

  /** Drops sets that have waited for too long. */
  public void expire(long now) {
    while (!oldestFirst.isEmpty()
        && now - oldestFirst.getFirst().arrival > limits.waitingMicros()) {
      dropOldest();
    }
  }

  public void dropAll() {
    while (!oldestFirst.isEmpty()) {
      dropOldest();
    }
  }

  private void dropOldest() {
    Waiting oldest = oldestFirst.getFirst(); // never one that is over
    take(oldest);
    oldest.datagram.dropped();
  }
}
