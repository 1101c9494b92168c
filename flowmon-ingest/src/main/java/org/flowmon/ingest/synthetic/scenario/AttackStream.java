package org.flowmon.ingest.synthetic.scenario;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.OrdinaryTraffic;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** The flows of an attack, one after the other. Not thread-safe. */
public abstract class AttackStream {
  static final int SYN = 0x02;
  static final int ACK = 0x10;
  static final int RST_ACK = 0x14;
  static final int WHOLE = 0x1B; // SYN, PSH, ACK and FIN

  /** From a flow's end to its export. */
  static final long EXPORT_DELAY_MILLIS = 100;

  private static final int AS_OF_OTHERS = 199;

  final SplittableRandom random;
  private final double end;
  private double due;

  AttackStream(double firstMillis, double endMillis, SplittableRandom random) {
    this.due = firstMillis;
    this.end = endMillis;
    this.random = random;
  }

  /** When the next flow is exported; infinite after the last. */
  final double due() {
    return due < end ? due : Double.POSITIVE_INFINITY;
  }

  /** Sets when the first flow is exported, if the constructor could not know. */
  final void begin(double firstMillis) {
    due = firstMillis;
  }

  final double end() {
    return end;
  }

  /** Writes the flow that is due. */
  final void next(SyntheticFlow flow) {
    long now = (long) due;
    due += write(flow, now - EXPORT_DELAY_MILLIS);
  }

  /** Writes a flow that ended then, and returns the ms to the next one; infinite after the last. */
  abstract double write(SyntheticFlow flow, long endMillis);

  /** Gaps of events that come independently of each other. */
  final double gap(double perSecond) {
    return -Math.log(1 - random.nextDouble()) * 1000 / perSecond;
  }

  static void parties(
      SyntheticFlow flow, IpAddress inside, long outsideHi, long outsideLo, boolean outgoing) {
    OrdinaryTraffic.route(flow, inside.hi(), inside.lo(), outsideHi, outsideLo, outgoing);
    flow.insideHost = (int) inside.lo() & 0xFFFF;
    int as = Hosts.outsideAs(AS_OF_OTHERS);
    flow.srcAs = outgoing ? Hosts.insideAs() : as;
    flow.dstAs = outgoing ? as : Hosts.insideAs();
  }

  /** Of ICMP it is an echo request. */
  static void service(SyntheticFlow flow, int protocol, int srcPort, int dstPort, int tcpFlags) {
    boolean icmp = protocol == SyntheticFlow.ICMP;
    boolean ipv4 = flow.isIpv4();
    flow.protocol = icmp && !ipv4 ? SyntheticFlow.ICMPV6 : protocol;
    flow.srcPort = icmp ? 0 : srcPort;
    flow.dstPort = icmp ? 0 : dstPort;
    flow.icmpTypeCode = icmp ? (ipv4 ? 8 : 128) << 8 : 0;
    flow.tcpFlags = protocol == SyntheticFlow.TCP ? tcpFlags : 0;
    flow.tos = 0;
  }

  static void counts(
      SyntheticFlow flow, long bytes, long packets, long endMillis, long durationMillis) {
    flow.bytes = bytes;
    flow.packets = packets;
    flow.endMillis = endMillis;
    flow.startMillis = endMillis - durationMillis;
  }

  /** Makes of a try its refusal: a reset, or the message that there is no such port. */
  static void refuse(SyntheticFlow flow) {
    boolean ipv4 = flow.isIpv4();
    flow.reverse(ipv4 ? 44 : 64, 1);
    flow.tcpFlags = flow.protocol == SyntheticFlow.TCP ? RST_ACK : 0;
    if (flow.protocol == SyntheticFlow.UDP) { // port unreachable
      flow.protocol = ipv4 ? SyntheticFlow.ICMP : SyntheticFlow.ICMPV6;
      flow.icmpTypeCode = ipv4 ? 0x0303 : 0x0104;
      flow.srcPort = 0;
      flow.dstPort = 0;
    }
  }

  final int clientPort() {
    return 32_768 + random.nextInt(28_232);
  }
}
