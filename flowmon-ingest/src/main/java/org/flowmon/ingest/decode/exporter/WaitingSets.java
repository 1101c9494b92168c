package org.flowmon.ingest.decode.exporter;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.decode.record.DatagramHeader;

/**
 * Sets of data whose template has not come yet, within a limit for each exporter and one for all:
 * beyond the first a set is dropped at once, beyond the other the oldest ones are. Each is dropped
 * or taken once, and whichever is counted.
 */
public final class WaitingSets {
  /** Estimated heap of a set without its bytes, with its share of maps and datagram. */
  private static final long SET_BYTES = 368;

  /** Exporter, version, port and domain, and the template's id. */
  private record Key(long hi, long lo, long session, int id) implements Comparable<Key> {
    static Key of(int version, int port, DatagramHeader header, int id) {
      ObservationDomain.Key domain =
          ObservationDomain.Key.of(version, header.exporter, port, header.domain);
      long hi = header.exporter == null ? -1 : header.exporter.hi();
      return new Key(hi, domain.address(), domain.session(), id);
    }

    /** Differs from process to process, see {@link TableHash}. */
    @Override
    public int hashCode() {
      return (int) TableHash.of(hi ^ session, lo ^ (long) id << 32);
    }

    @Override
    public int compareTo(Key other) {
      int addresses = IpAddress.compare(hi, lo, other.hi, other.lo);
      return addresses != 0 ? addresses : IpAddress.compare(session, id, other.session, other.id);
    }
  }

  /** A set that waits. */
  public static final class Waiting {
    private final Key key;
    private final HeldDatagram datagram;
    private final byte[] bytes;
    private final long arrival;

    private Waiting(Key key, HeldDatagram datagram, byte[] bytes) {
      this.key = key;
      this.datagram = datagram;
      this.bytes = bytes;
      this.arrival = datagram.header().arrival;
    }

    public HeldDatagram datagram() {
      return datagram;
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
  // Of all, and by key: the oldest is first.
  private final Set<Waiting> all = new LinkedHashSet<>(0);
  private final Map<Key, Deque<Waiting>> byKey = new HashMap<>(0);
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

  /**
   * Keeps a copy of a set's records; false if there is no room for it, then it is not counted.
   *
   * @param port whose templates it may use, or {@link ObservationDomain#ANY_PORT}
   */
  public boolean hold(
      HeldDatagram datagram, int version, int port, int id, byte[] from, int at, int end) {
    DatagramHeader header = datagram.header();
    Exporter.Source source = Exporter.Source.of(header.exporter);
    long more = SET_BYTES + end - at;
    if (bytesOf.getOrDefault(source, 0L) + more > limits.waitingBytesOfExporter()) {
      return false;
    }
    while (!all.isEmpty() && bytes + more > limits.waitingBytes()) {
      dropOldest();
    }
    if (bytes + more > limits.waitingBytes()) {
      return false;
    }
    Key key = Key.of(version, port, header, id);
    Waiting waiting = new Waiting(key, datagram, Arrays.copyOfRange(from, at, end));
    all.add(waiting);
    byKey.computeIfAbsent(key, k -> new ArrayDeque<>(1)).add(waiting);
    bytesOf.merge(source, more, Long::sum);
    bytes += more;
    datagram.waits();
    return true;
  }

  /** The sets of a domain's data for a template, oldest first; the caller decodes them. */
  public Collection<Waiting> take(int version, int port, DatagramHeader header, int id) {
    Deque<Waiting> taken = byKey.remove(Key.of(version, port, header, id));
    if (taken == null) {
      return List.of();
    }
    for (Waiting waiting : taken) {
      forget(waiting);
    }
    return taken;
  }

  private void forget(Waiting waiting) {
    all.remove(waiting);
    Exporter.Source source = Exporter.Source.of(waiting.datagram.header().exporter);
    bytesOf.computeIfPresent(
        source, (s, sum) -> sum > waiting.heap() ? sum - waiting.heap() : null);
    bytes -= waiting.heap();
  }

  /** Drops sets that have waited for too long. */
  public void expire(long now) {
    while (!all.isEmpty() && now - oldest().arrival > limits.waitingMicros()) {
      dropOldest();
    }
  }

  public void dropAll() {
    while (!all.isEmpty()) {
      dropOldest();
    }
  }

  private Waiting oldest() {
    return all.iterator().next();
  }

  private void dropOldest() {
    Waiting oldest = oldest();
    Deque<Waiting> same = Objects.requireNonNull(byKey.get(oldest.key), "it waits");
    same.removeFirst();
    if (same.isEmpty()) {
      byKey.remove(oldest.key);
    }
    forget(oldest);
    oldest.datagram.dropped();
  }
}
