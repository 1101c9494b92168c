package org.flowmon.ingest.decode.exporter;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;

/** What an exporter has sent so far. */
final class ExporterTotals {
  private IpAddress address = IpAddress.ofIpv4(0);
  private long firstHeard;
  private long datagrams;
  private long bad;
  private long flows;
  private long lostFlows;
  private long lostDatagrams;
  private long clockSkew;
  private int kinds;

  /** A datagram begins; {@code arrival} in µs since 1970. */
  void heard(IpAddress from, long arrival) {
    address = from;
    firstHeard = firstHeard == 0 ? arrival : firstHeard;
    datagrams++;
  }

  /** It was known before a restart. */
  void restored(IpAddress known, long lastHeard) {
    address = known;
    firstHeard = lastHeard;
  }

  void addBad() {
    bad++;
    datagrams++;
  }

  /** The datagram's end; {@code skew}: by which its clock is ahead, µs. */
  void add(
      SourceKind kind,
      boolean isDamaged,
      long decoded,
      long flowsLost,
      long datagramsLost,
      long skew) {
    bad += isDamaged ? 1 : 0;
    kinds |= 1 << kind.code();
    flows += decoded;
    lostFlows += flowsLost;
    lostDatagrams += datagramsLost;
    clockSkew = skew;
  }

  private List<String> versions() {
    List<String> versions = new ArrayList<>();
    for (SourceKind kind : SourceKind.values()) {
      if ((kinds >>> kind.code() & 1) != 0) {
        versions.add(kind.label());
      }
    }
    return versions;
  }

  ExporterStatus status(Exporter of, long waitingBytes) {
    return new ExporterStatus(
        address,
        of.isEstablished(),
        versions(),
        firstHeard,
        of.lastHeard(),
        datagrams,
        bad,
        flows,
        lostFlows,
        lostDatagrams,
        waitingBytes,
        of.domains(),
        of.templates(),
        of.samplingRates(),
        of.interfaces(),
        clockSkew);
  }
}
