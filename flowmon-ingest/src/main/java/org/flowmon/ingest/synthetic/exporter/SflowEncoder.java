package org.flowmon.ingest.synthetic.exporter;

import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Writes sFlow version 5 (sflow.org/sflow_version_5.txt): a flow sample for each packet, with the
 * headers of its Ethernet frame and the way that it took. What it is given are single packets
 * ({@link #records}), already sampled; of a flow's times a collector only learns the arrival.
 *
 * <pre>
 * header  0 version 4 agent's address type (1, IPv4) 8 address 12 sub-agent 16 sequence 20 uptime
 *         24 samples
 * sample  0 format 1 4 length 8 sequence 12 source 16 rate 20 pool 24 drops 28 input 32 output
 *         36 records (3): header (format 1), router (1002) and gateway (1003)
 * </pre>
 */
final class SflowEncoder extends ExportEncoder {
  private static final int HEADER = 28;
  private static final int SOURCE = 1;
  private static final int ETHERNET = 14;
  private static final int FRAME_CHECK = 4;
  private static final int IPV4 = 20;
  private static final int IPV6 = 40;
  private static final int L4 = 20;
  private static final int SAMPLE_FIXED = 40;
  private static final int ROUTER = 24;
  private static final int GATEWAY = 52;

  /** Without the sampled header. */
  private static final int SAMPLE = SAMPLE_FIXED + 24 + ROUTER + GATEWAY;

  private final long bootMillis;
  private int sequence;
  private int samples;

  SflowEncoder(SimulatedRouter exporter, long bootMillis) {
    super(exporter);
    this.bootMillis = bootMillis;
  }

  /** One for each packet. */
  @Override
  long records(SyntheticFlow flow) {
    return Math.max(1, flow.packets);
  }

  @Override
  void begin(long nowMillis) {
    out.clear().position(HEADER);
  }

  @Override
  boolean hasRoom(SyntheticFlow flow) {
    return out.remaining() >= SAMPLE + ETHERNET + IPV6 + L4 + 3;
  }

  @Override
  void write(SyntheticFlow flow) {
    boolean ipv4 = flow.isIpv4();
    int sampled = ETHERNET + (ipv4 ? IPV4 : IPV6) + l4Bytes(flow);
    int padded = sampled + 3 & ~3;
    samples++;
    out.putInt(1).putInt(SAMPLE - 8 + padded);
    out.putInt(samples).putInt(SOURCE).putInt(exporter.samplingRate());
    out.putInt(samples * exporter.samplingRate()).putInt(0);
    out.putInt(flow.inputIf).putInt(flow.outputIf).putInt(3);
    int length = (int) Math.max(sampled - ETHERNET, Math.min(0xFFFF, flow.bytes));
    out.putInt(1).putInt(16 + padded).putInt(1); // a header, of Ethernet
    out.putInt(ETHERNET + length + FRAME_CHECK).putInt(FRAME_CHECK).putInt(sampled);
    int end = out.position() + padded;
    writeFrame(flow, ipv4, length);
    while (out.position() < end) {
      out.put((byte) 0);
    }
    out.putInt(1002).putInt(16).putInt(1).putInt(flow.nextHop);
    out.putInt(flow.srcMask).putInt(flow.dstMask);
    out.putInt(1003).putInt(44).putInt(1).putInt(0); // the BGP next hop is not known
    out.putInt(Hosts.insideAs()).putInt(flow.srcAs).putInt(0);
    out.putInt(1).putInt(2).putInt(1).putInt(flow.dstAs); // a path of one AS
    out.putInt(0).putInt(100); // communities, local preference
  }

  private static int l4Bytes(SyntheticFlow flow) {
    return switch (flow.protocol) {
      case SyntheticFlow.TCP -> L4;
      case SyntheticFlow.UDP, SyntheticFlow.ICMP, SyntheticFlow.ICMPV6 -> 8;
      default -> 0;
    };
  }

  private void writeFrame(SyntheticFlow flow, boolean ipv4, int length) {
    out.putInt(0x0200_0000).putShort((short) (flow.outputIf + 1)); // locally administered MACs
    out.putInt(0x0200_0001).putShort((short) (flow.inputIf + 1));
    if (ipv4) {
      out.putShort((short) 0x0800);
      out.put((byte) 0x45).put((byte) flow.tos).putShort((short) length);
      out.putInt(0).put((byte) 64).put((byte) flow.protocol);
      out.putShort((short) checksum(flow, length));
      out.putInt((int) flow.srcLo).putInt((int) flow.dstLo);
    } else {
      out.putShort((short) 0x86DD);
      out.putInt(6 << 28 | (flow.tos & 0xFF) << 20).putShort((short) (length - IPV6));
      out.put((byte) flow.protocol).put((byte) 64);
      out.putLong(flow.srcHi).putLong(flow.srcLo).putLong(flow.dstHi).putLong(flow.dstLo);
    }
    writeL4(flow, length - (ipv4 ? IPV4 : IPV6));
  }

  private void writeL4(SyntheticFlow flow, int length) {
    switch (flow.protocol) {
      case SyntheticFlow.TCP -> {
        out.putShort((short) flow.srcPort).putShort((short) flow.dstPort).putLong(0);
        out.put((byte) 0x50).put((byte) flow.tcpFlags).putShort((short) 0xFFFF).putInt(0);
      }
      case SyntheticFlow.UDP -> {
        out.putShort((short) flow.srcPort).putShort((short) flow.dstPort);
        out.putShort((short) length).putShort((short) 0);
      }
      case SyntheticFlow.ICMP, SyntheticFlow.ICMPV6 ->
          out.putShort((short) flow.icmpTypeCode).putShort((short) 0).putInt(0);
      default -> {}
    }
  }

  /** Of the IPv4 header. */
  private static int checksum(SyntheticFlow flow, int length) {
    int sum = 0x4500 + (flow.tos & 0xFF) + length + (64 << 8) + flow.protocol;
    return InternetChecksum.of(sum, (int) flow.srcLo, (int) flow.dstLo);
  }

  @Override
  void end(long nowMillis, int samplesInDatagram) {
    out.putInt(0, 5).putInt(4, 1).putInt(8, (int) exporter.address().lo());
    out.putInt(12, exporter.observationDomain());
    out.putInt(16, ++sequence);
    out.putInt(20, (int) (nowMillis - bootMillis));
    out.putInt(24, samplesInDatagram);
  }
}
