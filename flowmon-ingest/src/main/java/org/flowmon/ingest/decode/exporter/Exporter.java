package org.flowmon.ingest.decode.exporter;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.IngestCounter;
import org.jspecify.annotations.Nullable;

/**
 * The state of one exporter: its domains and their bytes. It is an IPv4 address or a /64 of IPv6,
 * because one host may have every address of a /64.
 */
public final class Exporter {
  /** Estimated heap of an exporter without its domains (bytes). */
  static final int BYTES = 520;

  /** Domains that are looked at for an interface's name: some, as there may be thousands. */
  private static final int MOST_NAMED = 8;

  /**
   * Who counts as one exporter: an IPv4 address, or a /64 of IPv6, of which one host may have all
   * addresses. An address's high half, and the low one of IPv4, else 0; {@code lo} is −1 if it is
   * unknown.
   */
  public record Source(long hi, long lo) implements Comparable<Source> {
    public static Source of(@Nullable IpAddress address) {
      return address == null
          ? new Source(-1, -1)
          : new Source(address.hi(), address.isIpv4() ? address.lo() : 0);
    }

    /** Differs from process to process, see {@link TableHash}. */
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
  // Least recently used first.
  private final Map<ObservationDomain.Key, ObservationDomain> domains =
      new LinkedHashMap<>(2, 0.75f, true);
  private final ExporterTotals totals = new ExporterTotals();
  private long bytes;
  // Number of domains of the current datagram, which are the last ones.
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

  long bytes() {
    return bytes;
  }

  /** Adds bytes; only the table calls this, because it keeps the sums. */
  void addBytes(long more) {
    bytes += more;
  }

  boolean isEstablished() {
    return established;
  }

  /** Makes it known: its losses so far count. */
  void setEstablished() {
    established = true;
    domains.values().forEach(ObservationDomain::prove);
  }

  void restartSequences() {
    domains.values().forEach(ObservationDomain::restartSequences);
  }

  /** When its last datagram came, µs. */
  long lastHeard() {
    return lastHeard;
  }

  void begin(long arrival) {
    lastHeard = arrival;
    inUse = 0;
  }

  /** µs; {@code arrival} if there were none before. */
  long firstFlows(long arrival) {
    if (!hasFlows) {
      hasFlows = true;
      firstFlows = arrival;
    }
    return firstFlows;
  }

  ExporterTotals totals() {
    return totals;
  }

  int templates() {
    return domains.values().stream().mapToInt(ObservationDomain::templates).sum();
  }

  int samplingRates() {
    return domains.values().stream().mapToInt(ObservationDomain::samplingRates).sum();
  }

  boolean hasTemplates() {
    return domains.values().stream().anyMatch(ObservationDomain::hasTemplates);
  }

  /** As {@code docs/format/templates.md} has them. */
  void writeTemplates(DataOutputStream out) throws IOException {
    out.writeInt((int) domains.values().stream().filter(ObservationDomain::hasTemplates).count());
    for (Map.Entry<ObservationDomain.Key, ObservationDomain> domain : domains.entrySet()) {
      if (domain.getValue().hasTemplates()) {
        domain.getKey().write(out);
        domain.getValue().writeTemplates(out);
      }
    }
  }

  /** With the names that its options data or samples tell. */
  Stream<InterfaceCounters> interfaceCounters(long since) {
    List<ObservationDomain> named =
        domains.values().stream()
            .filter(domain -> !domain.names().interfaces().isEmpty())
            .limit(MOST_NAMED)
            .toList();
    return domains.values().stream()
        .flatMap(domain -> domain.dataSources().stream())
        .flatMap(source -> source.interfaceCounters().stream())
        .filter(counters -> counters.arrival() >= since)
        .map(counters -> counters.named(interfaceName(named, counters.index())));
  }

  private static String interfaceName(List<ObservationDomain> among, long index) {
    for (ObservationDomain domain : among) {
      byte[] name = domain.names().interfaces().get(index);
      if (name != null) {
        return new String(name, StandardCharsets.UTF_8);
      }
    }
    return "";
  }

  int interfaces() {
    int all = 0;
    for (ObservationDomain domain : domains.values()) {
      for (DataSource one : domain.dataSources()) {
        all += one.interfaceCounters().isPresent() ? 1 : 0;
      }
    }
    return all;
  }

  int domains() {
    return domains.size();
  }

  /** A domain, not forgotten until the next datagram; {@code lost} counts losses of a new one. */
  public ObservationDomain domain(ObservationDomain.Key key, IngestCounter lost) {
    ObservationDomain domain = domains.get(key);
    if (domain == null) {
      domain = new ObservationDomain(this, table, lost);
      table.makeRoom(this, ObservationDomain.BYTES, true);
      table.charge(this, ObservationDomain.BYTES);
      domains.put(key, domain);
    }
    inUse++;
    return domain;
  }

  /**
   * For new state of a domain; older state is forgotten at the limit. False takes nothing: no room.
   */
  boolean take(long more) {
    if (!table.makeRoom(this, more, true)) {
      return false;
    }
    table.charge(this, more);
    return true;
  }

  /** Takes bytes without forgetting state of this exporter, if {@code left} more remain free. */
  boolean takeLeaving(long more, long left) {
    if (!table.makeRoom(this, more + left, false)) {
      return false;
    }
    table.charge(this, more);
    return true;
  }

  void give(long fewer) {
    table.charge(this, -fewer);
  }

  /**
   * The least recently used domain or, with all in use, the first's oldest template; false without.
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
