package org.flowmon.ingest.decode.exporter;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.IngestCounter;

/**
 * All that a decoder keeps of one exporter: its observation domains, and how many bytes they are.
 * An exporter is an IPv4 address or a /64 of IPv6, of which one host may have every address.
 */
public final class Exporter {
  /** Heap of an exporter without its domains, reckoned (bytes). */
  static final int BYTES = 400;

  /**
   * Who it is.
   *
   * @param hi the high half of the address
   * @param lo the low half where it is IPv4, 0 where it is IPv6; −1 where no address is known
   */
  record Source(long hi, long lo) implements Comparable<Source> {
    static Source of(IpAddress address) {
      return address == null
          ? new Source(-1, -1)
          : new Source(address.hi(), address.isIpv4() ? address.lo() : 0);
    }

    /** Another one in each process: see {@link TableHash}. */
    @Override
    public int hashCode() {
      return (int) TableHash.of(hi, lo);
    }

    @Override
    public int compareTo(Source other) {
      return IpAddress.compare(hi, lo, other.hi, other.lo);
    }
  }

  private final ExporterTable table;
  private final Source source;
  // The one used last at the end.
  private final Map<ObservationDomain.Key, ObservationDomain> domains =
      new LinkedHashMap<>(2, 0.75f, true);
  private long bytes;
  // Domains of the datagram at hand: those used last.
  private int inUse;
  private boolean established;
  private boolean hasFlows;
  private long firstFlows;
  private long lastHeard;

  Exporter(ExporterTable table, Source source) {
    this.table = table;
    this.source = source;
  }

  Source source() {
    return source;
  }

  /** Bytes reckoned for it. */
  long bytes() {
    return bytes;
  }

  /** To be called by the table alone, which keeps the sums. */
  void addBytes(long more) {
    bytes += more;
  }

  /** Whether it is known: strangers do not make it be forgotten. */
  boolean isEstablished() {
    return established;
  }

  /** It is known from now on: what it lost until now counts. */
  void setEstablished() {
    established = true;
    domains.values().forEach(domain -> domain.sequence().claims().prove());
  }

  /** When its last datagram came, µs. */
  long lastHeard() {
    return lastHeard;
  }

  /** Begins a datagram. */
  void begin(long arrival) {
    lastHeard = arrival;
    inUse = 0;
  }

  /** When its first flows came, µs; these where there were none before. */
  long firstFlows(long arrival) {
    if (!hasFlows) {
      hasFlows = true;
      firstFlows = arrival;
    }
    return firstFlows;
  }

  int domains() {
    return domains.size();
  }

  /**
   * A domain of the datagram at hand, a new one where it is not known. It is not forgotten until
   * the next datagram.
   *
   * @param lost what a new one counts its losses as
   */
  public ObservationDomain domain(ObservationDomain.Key key, IngestCounter lost) {
    ObservationDomain domain = domains.get(key);
    if (domain == null) {
      domain = new ObservationDomain(this, table.limits(), table.counters(), lost);
      table.makeRoom(this, ObservationDomain.BYTES, true);
      table.charge(this, ObservationDomain.BYTES);
      domains.put(key, domain);
    }
    inUse++;
    return domain;
  }

  /**
   * Takes bytes for what a domain is about to remember; older things of this exporter are forgotten
   * where it has as many as it may.
   *
   * @return false where there is no room; nothing is taken then
   */
  boolean take(long more) {
    if (!table.makeRoom(this, more, true)) {
      return false;
    }
    table.charge(this, more);
    return true;
  }

  /** As {@link #take}, but forgets nothing of this exporter, and leaves as many bytes as said. */
  boolean takeLeaving(long more, long left) {
    if (!table.makeRoom(this, more + left, false)) {
      return false;
    }
    table.charge(this, more);
    return true;
  }

  /** Gives bytes back. */
  void give(long fewer) {
    table.charge(this, -fewer);
  }

  /**
   * Forgets the domain that was used least recently; where all are in use, the oldest template of
   * the first that has one.
   *
   * @return false where there is nothing to forget
   */
  boolean forgetOldest() {
    Iterator<ObservationDomain> oldest = domains.values().iterator();
    if (domains.size() > inUse) {
      table.charge(this, -oldest.next().bytes());
      oldest.remove();
      table.counters().increment(IngestCounter.DOMAINS_EVICTED);
      return true;
    }
    while (oldest.hasNext()) {
      if (oldest.next().evictTemplate()) {
        return true;
      }
    }
    return false;
  }
}
