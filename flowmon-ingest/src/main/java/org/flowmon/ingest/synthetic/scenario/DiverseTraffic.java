package org.flowmon.ingest.synthetic.scenario;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.FlowStream;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.OrdinaryTraffic;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Flows with nothing in common: sources repeat after 2^24 flows, destinations (of 240.0.0.0/4,
 * reserved by RFC 1112) after 2^28, in no order.
 */
final class DiverseTraffic implements FlowStream {
  private static final int SOURCES = 0x0A00_0000;
  private static final int DESTINATIONS = 0xF000_0000;

  private final double ipv6Share;
  private final SplittableRandom random;
  private int done;

  DiverseTraffic(double ipv6Share, SplittableRandom random) {
    this.ipv6Share = ipv6Share;
    this.random = random;
  }

  @Override
  public void next(long nowMillis, SyntheticFlow flow) {
    int i = done++;
    boolean outgoing = (i & 1) == 0;
    // Odd factors permute the numbers.
    int inside = i * 0x9E37_79B1 & 0xFF_FFFF;
    int outside = i * 0x85EB_CA6B & 0xFFF_FFFF;
    if (random.nextDouble() < ipv6Share) {
      OrdinaryTraffic.route(
          flow,
          Hosts.insideV6High(inside),
          Hosts.v6Low(inside),
          Hosts.outsideV6High(outside),
          Hosts.v6Low(outside),
          outgoing);
    } else {
      long in = IpAddress.ipv4Low(SOURCES | inside);
      long out = IpAddress.ipv4Low(DESTINATIONS | outside);
      OrdinaryTraffic.route(flow, 0, in, 0, out, outgoing);
    }
    flow.insideHost = inside;
    flow.srcAs = outgoing ? Hosts.insideAs() : Hosts.outsideAs(outside);
    flow.dstAs = outgoing ? Hosts.outsideAs(outside) : Hosts.insideAs();
    boolean udp = (i & 2) == 0;
    int ports = i * 0xC2B2_AE35;
    AttackStream.service(
        flow,
        udp ? SyntheticFlow.UDP : SyntheticFlow.TCP,
        ports & 0xFFFF,
        ports >>> 16,
        AttackStream.WHOLE);
    int packets = 1 + random.nextInt(1_000);
    long bytes = packets * (60L + random.nextInt(1_340));
    AttackStream.counts(flow, bytes, packets, nowMillis - 100, random.nextInt(30_000));
  }
}
