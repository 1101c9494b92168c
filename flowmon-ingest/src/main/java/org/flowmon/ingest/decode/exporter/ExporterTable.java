package org.flowmon.ingest.decode.exporter;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * The exporters that a decoder knows, within one budget of bytes for all that it keeps of them.
 *
 * <p>Who has sent flows for a while is known, all others are strangers. Where the budget is full
 * the stranger goes that was heard of least recently: strangers make strangers be forgotten, and
 * never a known exporter, of which only one that has long been silent goes, for another that is to
 * be known. Where an exporter's own share is full its own oldest things go.
 *
 * <p>Sums are kept as things come and go and the oldest is the first of its map, so that no step
 * looks at more than what it forgets.
 */
public final class ExporterTable {
  private final DecoderLimits limits;
  private final IngestCounters counters;
  private final WorkMeter work;
  // The one heard of last at the end.
  private final Map<Exporter.Source, Exporter> strangers = new LinkedHashMap<>(64, 0.75f, true);
  private final Map<Exporter.Source, Exporter> established = new LinkedHashMap<>(64, 0.75f, true);
  private final long establishedMost;
  private long bytes;
  private long establishedBytes;
  private Exporter current;
  private long now;

  public ExporterTable(DecoderLimits limits, IngestCounters counters, WorkMeter work) {
    this.limits = limits;
    this.counters = counters;
    this.work = work;
    this.establishedMost = limits.stateBytes() - limits.strangerBytes();
  }

  DecoderLimits limits() {
    return limits;
  }

  IngestCounters counters() {
    return counters;
  }

  /** Bytes reckoned for all exporters. */
  public long bytes() {
    return bytes;
  }

  int exporters() {
    return strangers.size() + established.size();
  }

  public int establishedExporters() {
    return established.size();
  }

  /**
   * The exporter of a datagram, a new one where it is not known; it stays until the next one is
   * heard.
   *
   * @param address null where it is not known
   * @param arrival of the datagram, µs
   */
  public Exporter heard(IpAddress address, long arrival) {
    now = arrival;
    Exporter.Source source = Exporter.Source.of(address);
    if (current == null || !current.source().equals(source)) {
      current = established.get(source);
      if (current == null) {
        current = strangers.get(source);
      }
      if (current == null) {
        current = new Exporter(this, source);
        makeRoom(current, Exporter.BYTES, true);
        strangers.put(source, current);
        charge(current, Exporter.BYTES);
      }
    }
    current.begin(arrival);
    return current;
  }

  /** Takes in that the datagram at hand had flows: who goes on sending some becomes known. */
  public void decodedFlows() {
    if (current.isEstablished()
        || now - current.firstFlows(now) < limits.establishedMicros()
        || !makeRoomAmongEstablished(current.bytes(), false)) {
      return;
    }
    strangers.remove(current.source());
    current.setEstablished();
    established.put(current.source(), current);
    establishedBytes += current.bytes();
    counters.increment(IngestCounter.EXPORTERS_ESTABLISHED);
  }

  /**
   * Makes room for bytes of an exporter.
   *
   * @param forgets whether the exporter's own older things may go
   * @return false where there is none
   */
  boolean makeRoom(Exporter exporter, long more, boolean forgets) {
    while (exporter.bytes() + more > limits.exporterBytes()) {
      if (!forgets || !forgetOldest(exporter)) {
        return false;
      }
    }
    if (exporter.isEstablished() && !makeRoomAmongEstablished(more, forgets)) {
      return false;
    }
    while (bytes + more > limits.stateBytes()) {
      if (!forgetFirst(strangers) && !(forgets && forgetOldest(exporter))) {
        return false;
      }
    }
    return true;
  }

  private boolean makeRoomAmongEstablished(long more, boolean forgets) {
    while (establishedBytes + more > establishedMost) {
      if (!forgetIdle() && !(forgets && forgetOldest(current))) {
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

  /** Forgets the exporter that was heard of least recently, but for the one at hand. */
  private boolean forgetFirst(Map<Exporter.Source, Exporter> among) {
    Iterator<Exporter> exporters = among.values().iterator();
    Exporter first = exporters.hasNext() ? exporters.next() : current;
    if (first == current) {
      return false; // it was heard of last, so there is no other
    }
    work.add(1);
    charge(first, -first.bytes());
    exporters.remove();
    counters.increment(IngestCounter.EXPORTERS_EVICTED);
    counters.add(IngestCounter.DOMAINS_EVICTED, first.domains());
    return true;
  }

  /** Reckons bytes that an exporter takes, or gives back where they are negative. */
  void charge(Exporter exporter, long more) {
    exporter.addBytes(more);
    bytes += more;
    if (exporter.isEstablished()) {
      establishedBytes += more;
    }
  }
}
