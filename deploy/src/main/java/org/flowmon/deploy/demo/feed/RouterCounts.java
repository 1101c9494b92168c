package org.flowmon.deploy.demo.feed;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.ExportDecoder;

/**
 * Separates a decoder's counts for the demo's routers, known by address and port, from those for
 * all others, who can reach the port too. A sender from another port with a router's address and
 * observation domain is decoded as that router, and can make it lose flows.
 */
final class RouterCounts implements UdpCollector.Receiver {
  private static final List<IngestCounter> COUNTED =
      List.of(
          IngestCounter.DATAGRAMS_RECEIVED,
          IngestCounter.FLOWS_DECODED,
          IngestCounter.FLOWS_DROPPED_NO_TEMPLATE);

  /** Counters of dropped datagrams and parts of datagrams. */
  private static final Set<String> GARBAGE =
      Stream.of(IngestCounter.values())
          .filter(RouterCounts::isOfGarbage)
          .map(IngestCounter::label)
          .collect(Collectors.toUnmodifiableSet());

  private final ExportDecoder decoder;
  private final IngestCounters all;
  private final IngestCounters routers = new IngestCounters();
  private final IngestCounters others = new IngestCounters();
  private final long[] before = new long[COUNTED.size()];
  private final IpAddress address;
  private volatile Set<Integer> ports = Set.of();

  /** {@code all} are the decoder's counters, unused elsewhere; {@code address} is the routers'. */
  RouterCounts(ExportDecoder decoder, IngestCounters all, IpAddress address) {
    this.decoder = decoder;
    this.all = all;
    this.address = address;
  }

  // A flow without its template is counted with its set and, if it is a router's, as dropped.
  private static boolean isOfGarbage(IngestCounter counter) {
    return counter == IngestCounter.DATAGRAMS_DAMAGED
        || (counter.name().contains("_DROPPED_")
            && counter != IngestCounter.FLOWS_DROPPED_NO_TEMPLATE);
  }

  void routersSendFrom(Set<Integer> ports) {
    this.ports = Set.copyOf(ports);
  }

  IngestCounters routers() {
    return routers;
  }

  IngestCounters others() {
    return others;
  }

  /** Received parts that were undecodable or did not reach the decoder; without zeros. */
  Map<String, Long> notUnderstood() {
    Map<String, Long> counts = all.snapshot();
    counts.keySet().removeIf(label -> !GARBAGE.contains(label));
    return counts;
  }

  @Override
  public void receive(
      byte[] datagram,
      int offset,
      int length,
      IpAddress exporter,
      int port,
      long arrivalMicros,
      FlowSink out) {
    for (int i = 0; i < before.length; i++) {
      before[i] = all.get(COUNTED.get(i));
    }
    long lost = all.get(IngestCounter.SEQUENCE_LOST_FLOWS);
    long unproven = all.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS);
    decoder.decode(datagram, offset, length, exporter, port, arrivalMicros, out);
    boolean isRouter = ports.contains(port) && address.equals(exporter);
    IngestCounters sender = isRouter ? routers : others;
    for (int i = 0; i < before.length; i++) {
      sender.add(COUNTED.get(i), all.get(COUNTED.get(i)) - before[i]);
    }
    countLosses(
        sender,
        isRouter ? others : routers,
        all.get(IngestCounter.SEQUENCE_LOST_FLOWS) - lost,
        all.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS) - unproven);
  }

  /**
   * Counts a datagram's effect on the claimed losses. It may prove or take back claims that others
   * made in the same exporter's name: these stay theirs, so neither count falls below 0.
   */
  private static void countLosses(
      IngestCounters sender, IngestCounters other, long lost, long unproven) {
    long ofOther = -Math.min(0, sender.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS) + unproven);
    long provenOfOther = Math.min(ofOther, Math.max(0, lost));
    long lostOfSender = lost - provenOfOther;
    long backOfOther = -Math.min(0, sender.get(IngestCounter.SEQUENCE_LOST_FLOWS) + lostOfSender);
    sender.add(IngestCounter.SEQUENCE_UNPROVEN_FLOWS, unproven + ofOther);
    sender.add(IngestCounter.SEQUENCE_LOST_FLOWS, lostOfSender + backOfOther);
    other.add(IngestCounter.SEQUENCE_UNPROVEN_FLOWS, -ofOther);
    other.add(IngestCounter.SEQUENCE_LOST_FLOWS, provenOfOther - backOfOther);
  }
}
