package org.flowmon.ingest.synthetic;

import java.util.Optional;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;

/** The ordinary conversations, and the parts of unusual flows. Each stream has its own instance. */
public final class OrdinaryTraffic implements FlowStream {
  private static final int PSH_ACK_SYN_FIN = 0x1B;
  private static final int[] TOS = {0, 0, 0, 0, 0, 0, 0x28, 0xB8};

  private final Conversations.Service[] serviceOf;
  private final ZipfSampler inside;
  private final ZipfSampler outside;
  private final Conversations options;
  private final SplittableRandom random;
  private final double smallest;
  private final double tailMass;
  private final double inverseShape;
  private final long delayMin;
  private final int delaySpan;
  private boolean replyIsDue;
  private long replyBytes;
  private long replyPackets;
  private final SyntheticFlow request = new SyntheticFlow();
  private long requestMillis;
  private final Optional<Acquaintances> acquaintances;
  private final Acquaintances.Call call = new Acquaintances.Call();
  private long turn;
  private boolean isRollCall;

  public OrdinaryTraffic(
      ZipfSampler inside, ZipfSampler outside, Conversations options, SplittableRandom random) {
    this(inside, outside, options, Optional.empty(), random);
  }

  /** With acquaintances hosts talk with these alone. */
  OrdinaryTraffic(
      ZipfSampler inside,
      ZipfSampler outside,
      Conversations options,
      Optional<Acquaintances> acquaintances,
      SplittableRandom random) {
    this.acquaintances = acquaintances;
    this.inside = inside;
    this.outside = outside;
    this.options = options;
    this.random = random;
    Conversations.Sizes sizes = options.sizes();
    this.smallest = sizes.smallest();
    this.tailMass = 1 - Math.pow(smallest / sizes.largest(), sizes.paretoShape());
    this.inverseShape = -1 / sizes.paretoShape();
    this.delayMin = options.exportDelayMin().toMillis();
    this.delaySpan = (int) (options.exportDelayMax().toMillis() - delayMin) + 1;
    this.serviceOf = options.byWeight();
  }

  /** Usually request and reply, sometimes one way only. */
  @Override
  public void next(long nowMillis, SyntheticFlow flow) {
    if (replyIsDue) {
      replyIsDue = false;
      copy(request, flow);
      flow.reverse(replyBytes, replyPackets);
      flow.startMillis += nowMillis - requestMillis;
      flow.endMillis += nowMillis - requestMillis;
      return;
    }
    isRollCall = false;
    converse(nowMillis, flow);
    if (random.nextInt(100) < 90) {
      answer(nowMillis, flow);
    }
  }

  private void answer(long nowMillis, SyntheticFlow flow) {
    copy(flow, request);
    requestMillis = nowMillis;
    replyIsDue = true;
  }

  /** Whether the next flow answers the one before. */
  boolean isReplyDue() {
    return replyIsDue;
  }

  /** The next one of all conversations in turn, with an answer, so that both were there before. */
  void rollCall(long nowMillis, SyntheticFlow flow) {
    isRollCall = true;
    acquaintances.orElseThrow().next(turn++, call);
    parties(flow, call.client, call.server, call.ipv6, call.begunInside);
    converse(nowMillis, flow, call.service, call.ipv6);
    answer(nowMillis, flow);
  }

  /** Whether the last flow is of a roll call: it shows that there is such a conversation. */
  boolean isRollCall() {
    return isRollCall;
  }

  private void converse(long nowMillis, SyntheticFlow flow) {
    int client = inside.sample(random);
    int server = outside.sample(random);
    boolean begunInside = random.nextInt(100) < 85;
    if (acquaintances.isPresent()) {
      if (begunInside) {
        acquaintances.get().ofInside(client, random, call);
      } else {
        acquaintances.get().ofOutside(server, call);
      }
      parties(flow, call.client, call.server, call.ipv6, call.begunInside);
      converse(nowMillis, flow, call.service, call.ipv6);
      return;
    }
    boolean ipv6 = random.nextDouble() < options.ipv6Share();
    parties(flow, client, server, ipv6, begunInside);
    converse(nowMillis, flow, serviceOf[random.nextInt(serviceOf.length)], ipv6);
  }

  private void converse(
      long nowMillis, SyntheticFlow flow, Conversations.Service service, boolean ipv6) {
    flow.protocol = service.protocol();
    flow.srcPort = 32_768 + random.nextInt(28_232);
    flow.dstPort = service.port();
    flow.tcpFlags = flow.protocol == SyntheticFlow.TCP ? PSH_ACK_SYN_FIN : 0;
    flow.tos = TOS[random.nextInt(TOS.length)];
    flow.icmpTypeCode = 0;
    long bytes = pareto();
    if (flow.protocol == SyntheticFlow.ICMP) {
      flow.protocol = ipv6 ? SyntheticFlow.ICMPV6 : SyntheticFlow.ICMP;
      flow.icmpTypeCode = ipv6 ? 128 << 8 : 8 << 8; // echo request
      flow.srcPort = 0;
      flow.dstPort = 0;
      bytes = 84L * (1 + random.nextInt(10));
      replyBytes = bytes;
    } else {
      replyBytes = bytes;
      bytes = Math.max(60, bytes / (2 + random.nextInt(10))); // clients fetch more than they send
    }
    replyPackets = packetsOf(replyBytes);
    count(flow, bytes);
    times(flow, nowMillis);
  }

  /** The reply's share of the crowd decides the direction. */
  void parties(
      SyntheticFlow flow, int insideHost, int outsideHost, boolean ipv6, boolean outgoing) {
    flow.insideHost = insideHost;
    long inHi = ipv6 ? Hosts.insideV6High(insideHost) : 0;
    long inLo = ipv6 ? Hosts.v6Low(insideHost) : Hosts.insideV4(insideHost);
    long outHi = ipv6 ? Hosts.outsideV6High(outsideHost) : 0;
    long outLo = ipv6 ? Hosts.v6Low(outsideHost) : Hosts.outsideV4(outsideHost);
    route(flow, inHi, inLo, outHi, outLo, outgoing);
    int as = Hosts.outsideAs(outsideHost);
    flow.srcAs = outgoing ? Hosts.insideAs() : as;
    flow.dstAs = outgoing ? as : Hosts.insideAs();
  }

  /** Sets the parties like {@link #parties}, with an outside host that has a role. */
  void partyWith(SyntheticFlow flow, int insideHost, IpAddress outsideHost, boolean outgoing) {
    flow.insideHost = insideHost;
    route(flow, 0, Hosts.insideV4(insideHost), outsideHost.hi(), outsideHost.lo(), outgoing);
    int as = Hosts.outsideAs(199);
    flow.srcAs = outgoing ? Hosts.insideAs() : as;
    flow.dstAs = outgoing ? as : Hosts.insideAs();
  }

  /** Sets the addresses of both parties, and what follows from them; both are of one family. */
  public static void route(
      SyntheticFlow flow, long inHi, long inLo, long outHi, long outLo, boolean outgoing) {
    boolean ipv4 = IpAddress.isIpv4(inHi, inLo);
    flow.srcHi = outgoing ? inHi : outHi;
    flow.srcLo = outgoing ? inLo : outLo;
    flow.dstHi = outgoing ? outHi : inHi;
    flow.dstLo = outgoing ? outLo : inLo;
    flow.outgoing = outgoing;
    flow.nextHop = ipv4 ? Hosts.nextHop(outgoing) : 0;
    flow.inputIf = outgoing ? 2 : 1;
    flow.outputIf = outgoing ? 1 : 2;
    int inMask = ipv4 ? 16 : 48;
    int outMask = ipv4 ? 24 : 33;
    flow.srcMask = outgoing ? inMask : outMask;
    flow.dstMask = outgoing ? outMask : inMask;
  }

  void tcp(SyntheticFlow flow, int srcPort, int dstPort, int flags) {
    flow.protocol = SyntheticFlow.TCP;
    flow.srcPort = srcPort;
    flow.dstPort = dstPort;
    flow.tcpFlags = flags;
    flow.tos = 0;
    flow.icmpTypeCode = 0;
  }

  /** A bulk transfer from a heavy talker to some inside host: bytes within ± 50 % of the mean. */
  void bulk(long nowMillis, SyntheticFlow flow, IpAddress talker, int port, int meanBytes) {
    partyWith(flow, inside.sample(random), talker, false);
    tcp(flow, port, 32_768 + random.nextInt(28_232), PSH_ACK_SYN_FIN);
    count(flow, meanBytes / 2 + (long) random.nextInt(meanBytes));
    times(flow, nowMillis);
  }

  void count(SyntheticFlow flow, long bytes) {
    flow.bytes = bytes;
    flow.packets = packetsOf(bytes);
  }

  /** Packets of 200 … 1400 bytes, so that bytes / packets is realistic. */
  private long packetsOf(long bytes) {
    int size = 200 + random.nextInt(1_201);
    return Math.max(1, (bytes + size - 1) / size);
  }

  private void times(SyntheticFlow flow, long nowMillis) {
    flow.endMillis = nowMillis - delayMin - random.nextInt(delaySpan);
    long duration =
        flow.packets == 1
            ? 0
            : (long) (-Math.log(1 - random.nextDouble()) * 50 * Math.min(flow.packets, 200));
    flow.startMillis = flow.endMillis - Math.min(duration, 30_000);
  }

  /** A truncated Pareto variate by its inverse distribution function. */
  private long pareto() {
    return (long) (smallest * Math.pow(1 - random.nextDouble() * tailMass, inverseShape));
  }

  private static void copy(SyntheticFlow from, SyntheticFlow to) {
    to.srcHi = from.srcHi;
    to.srcLo = from.srcLo;
    to.dstHi = from.dstHi;
    to.dstLo = from.dstLo;
    to.srcPort = from.srcPort;
    to.dstPort = from.dstPort;
    to.protocol = from.protocol;
    to.icmpTypeCode = from.icmpTypeCode;
    to.bytes = from.bytes;
    to.packets = from.packets;
    to.startMillis = from.startMillis;
    to.endMillis = from.endMillis;
    to.tcpFlags = from.tcpFlags;
    to.tos = from.tos;
    to.outgoing = from.outgoing;
    to.nextHop = from.nextHop;
    to.inputIf = from.inputIf;
    to.outputIf = from.outputIf;
    to.srcAs = from.srcAs;
    to.dstAs = from.dstAs;
    to.srcMask = from.srcMask;
    to.dstMask = from.dstMask;
    to.insideHost = from.insideHost;
  }
}
