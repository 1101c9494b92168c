package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;

/**
 * The worst case for every cache, table and dictionary: no pair of addresses appears twice in 2^28
 * flows. Sources are a permutation of 240.0.0.0/4 (reserved by RFC 1112, unused), destinations a
 * permutation of 10.0.0.0/8, which restarts after 2^24; every flow is incoming IPv4.
 */
final class UnrepeatedTraffic implements FlowStream {
  private final SplittableRandom random;
  private final long delay;
  private final int offset;
  private int flows;

  UnrepeatedTraffic(SplittableRandom random, TrafficOptions options) {
    this.random = random;
    this.delay = options.exportDelayMin().toMillis();
    this.offset = random.nextInt();
  }

  @Override
  public void next(long nowMillis, SyntheticFlow flow) {
    int n = flows++ + offset;
    flow.srcHi = 0;
    flow.srcLo = IpAddress.ipv4Low(0xF000_0000 | permuted(n, 28));
    flow.dstHi = 0;
    flow.dstLo = IpAddress.ipv4Low(0x0A00_0000 | permuted(n, 24));
    int bits = random.nextInt();
    flow.srcPort = bits >>> 16;
    flow.dstPort = bits & 0xFFFF;
    flow.protocol = SyntheticFlow.TCP;
    flow.icmpTypeCode = 0;
    flow.packets = 1L + random.nextInt(1_000);
    flow.bytes = flow.packets * (40 + random.nextInt(1_400));
    flow.endMillis = nowMillis - delay;
    flow.startMillis = flow.endMillis - random.nextInt(10_000);
    flow.tcpFlags = 0x1B;
    flow.tos = 0;
    flow.outgoing = false;
    flow.nextHop = Hosts.nextHop(false);
    flow.inputIf = 1;
    flow.outputIf = 2;
    flow.srcAs = 64_600 + (n & 0xFF);
    flow.dstAs = Hosts.insideAs();
    flow.srcMask = 24;
    flow.dstMask = 8;
    flow.insideHost = n & 0xFFFF;
  }

  /**
   * A bijection of the low {@code bits} of {@code n}: odd factors and shifts within the width are
   * invertible.
   */
  static int permuted(int n, int bits) {
    int mask = (1 << bits) - 1;
    int x = n & mask;
    x = (x * 0x9E37_79B1) & mask;
    x ^= x >>> (bits / 2);
    x = (x * 0x85EB_CA6B) & mask;
    x ^= x >>> (bits / 2 + 1);
    return x;
  }
}
