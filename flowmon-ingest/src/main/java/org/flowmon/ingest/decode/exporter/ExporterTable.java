package org.flowmon.ingest.decode.exporter;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.record.DatagramHeader;
import org.jspecify.annotations.Nullable;

/**
 * The exporters of a decoder, within one budget of bytes. One that has sent flows for a while is
 * known; all others are strangers. A full budget evicts the least recently heard stranger.
 * Strangers evict only strangers; a known exporter goes only after a long silence, for one about to
 * become known. A full share of an exporter forgets its own oldest state.
 *
 * <p>Sums follow each change, and a map's first entry is the oldest, so a step looks only at what
 * it forgets. No general cache has such rules; they are the defence against forged addresses.
 */
public final class ExporterTable {
  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final WorkMeter work;
  // Least recently heard first.
  private final Map<Exporter.Source, Exporter> strangers = new LinkedHashMap<>(64, 0.75f, true);
  private final Map<Exporter.Source, Exporter> established = new LinkedHashMap<>(64, 0.75f, true);
  private final long establishedMost;
  private final HeldDatagram nothingHeld;
  private long bytes;
  private long establishedBytes;
  private @Nullable Exporter current;
  private long now;

  public ExporterTable(DecoderLimits limits, IngestCounters counters, WorkMeter work) {
    this.limits = limits;
    this.counters = counters;
    this.work = work;
    this.nothingHeld = new HeldDatagram(new DatagramHeader(), 0, counters);
    this.establishedMost = limits.stateBytes() - limits.strangerBytes();
  }

  DecoderLimits limits() {
    return limits;
  }

  IngestCounters counters() {
    return counters;
  }

  /** In place of a datagram of which no set waits. */
  public HeldDatagram nothingHeld() {
    return nothingHeld;
  }

  /** Estimated heap of all that is remembered. */
  public long bytes() {
    return bytes;
  }

  /** How many are known. */
  public int establishedExporters() {
    return established.size();
  }

  /** The last counters of each interface of known exporters, if they came since then (µs). */
  public List<InterfaceCounters> interfaceCounters(long since) {
    return established.values().stream().flatMap(one -> one.interfaceCounters(since)).toList();
  }

  /** All known exporters, then at most so many strangers, those that were heard last. */
  public List<ExporterStatus> statuses(WaitingSets waiting, int mostStrangers) {
    long older = Math.max(0, strangers.size() - mostStrangers);
    return Stream.concat(established.values().stream(), strangers.values().stream().skip(older))
        .map(one -> one.totals().status(one, waiting.bytes(one.source())))
        .toList();
  }

  public int strangers() {
    return strangers.size();
  }

  /** What the current datagram's exporter sent with it. */
  public void count(
      SourceKind kind,
      boolean isDamaged,
      long flows,
      long lostFlows,
      long lostDatagrams,
      long clockSkew) {
    if (current != null) {
      current.totals().add(kind, isDamaged, flows, lostFlows, lostDatagrams, clockSkew);
    }
  }

  /** A datagram of the sender was dropped as a whole; one that is not remembered stays so. */
  public void countBad(@Nullable IpAddress sender) {
    Exporter.Source source = Exporter.Source.of(sender);
    Exporter exporter = established.get(source);
    exporter = exporter == null ? strangers.get(source) : exporter;
    if (exporter != null) {
      exporter.totals().addBad();
    }
  }

  /**
   * Finds or creates a datagram's exporter (null: unknown), kept until the next one; arrival in µs.
   */
  public Exporter heard(@Nullable IpAddress address, long arrival) {
    Exporter exporter = find(address, arrival);
    if (address != null) {
      exporter.totals().heard(address, arrival);
    }
    return exporter;
  }

  private Exporter find(@Nullable IpAddress address, long arrival) {
    now = arrival;
    Exporter.Source source = Exporter.Source.of(address);
    Exporter exporter = current;
    if (exporter == null || !exporter.source().equals(source)) {
      exporter = established.get(source);
      if (exporter == null) {
        exporter = strangers.get(source);
      }
      if (exporter == null) {
        exporter = new Exporter(this, source);
        current = exporter;
        makeRoom(exporter, Exporter.BYTES, true);
        strangers.put(source, exporter);
        charge(exporter, Exporter.BYTES);
      }
      current = exporter;
    }
    exporter.begin(arrival);
    return exporter;
  }

  public List<Exporter> known() {
    return List.copyOf(established.values());
  }

  /** An exporter that was known when the last process ended, and is so again if there is room. */
  Exporter restore(IpAddress address, long lastHeard) {
    Exporter exporter = find(address, lastHeard);
    exporter.firstFlows(lastHeard - limits.establishedMicros());
    exporter.totals().restored(address, lastHeard);
    decoded();
    return exporter;
  }

  /** An exporter that keeps sending flows, or counters, becomes known. */
  public void decoded() {
    Exporter exporter = Objects.requireNonNull(current, "the datagram's exporter was heard");
    if (exporter.isEstablished()
        || now - exporter.firstFlows(now) < limits.establishedMicros()
        || !makeRoomAmongEstablished(exporter, exporter.bytes(), false)) {
      return;
    }
    strangers.remove(exporter.source());
    exporter.setEstablished();
    established.put(exporter.source(), exporter);
    establishedBytes += exporter.bytes();
    counters.increment(IngestCounter.EXPORTERS_ESTABLISHED);
  }

  /** Another input begins: its sequence numbers do not follow those of the last one. */
  public void restartSequences() {
    strangers.values().forEach(Exporter::restartSequences);
    established.values().forEach(Exporter::restartSequences);
  }

  /** {@code forgets}: the exporter's own older state may go, too. False if there is no room. */
  boolean makeRoom(Exporter exporter, long more, boolean forgets) {
    while (exporter.bytes() + more > limits.exporterBytes()) {
      if (!forgets || !forgetOldest(exporter)) {
        return false;
      }
    }
    if (exporter.isEstablished() && !makeRoomAmongEstablished(exporter, more, forgets)) {
      return false;
    }
    while (bytes + more > limits.stateBytes()) {
      if (!forgetFirst(strangers) && !(forgets && forgetOldest(exporter))) {
        return false;
      }
    }
    return true;
  }

  private boolean makeRoomAmongEstablished(Exporter exporter, long more, boolean forgets) {
    while (establishedBytes + more > establishedMost) {
      if (!forgetIdle() && !(forgets && forgetOldest(exporter))) {
        return false;
      }
    }
    return true;
  }

  private boolean forgetOldest(Exporter exporter) {
    work.add(1);
    return exporter.forgetOldest();
  }

  private boolean forgetIdle() {
    Iterator<Exporter> first = established.values().iterator();
    return first.hasNext()
        && now - first.next().lastHeard() > limits.idleMicros()
        && forgetFirst(established);
  }

  /** Forgets the least recently heard exporter, except the current one. */
  private boolean forgetFirst(Map<Exporter.Source, Exporter> among) {
    Iterator<Exporter> exporters = among.values().iterator();
    if (!exporters.hasNext()) {
      return false;
    }
    Exporter first = exporters.next();
    if (first == current) {
      return false; // the current one was heard last, so there is no other
    }
    work.add(1);
    charge(first, -first.bytes());
    exporters.remove();
    counters.increment(IngestCounter.EXPORTERS_EVICTED);
    counters.add(IngestCounter.DOMAINS_EVICTED, first.domains());
    return true;
  }

  void charge(Exporter exporter, long more) {
    exporter.addBytes(more);
    bytes += more;
    if (exporter.isEstablished()) {
      establishedBytes += more;
    }
  }
}
