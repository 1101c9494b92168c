package org.flowmon.ingest.synthetic;

import java.util.List;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;

/**
 * A flow of the model, reused: the caller of {@link FlowStream#next} reads it before the next call.
 * Times are ms since 1970, the finest unit that all export formats share.
 */
public final class SyntheticFlow {
  /** The columns of its row. */
  public static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.START_TIME,
          FlowColumn.END_TIME,
          FlowColumn.ARRIVAL,
          FlowColumn.DURATION,
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.TCP_FLAGS,
          FlowColumn.TOS,
          FlowColumn.ICMP_TYPE_CODE,
          FlowColumn.OUTGOING,
          FlowColumn.NEXT_HOP,
          FlowColumn.INPUT_IF,
          FlowColumn.OUTPUT_IF,
          FlowColumn.SRC_AS,
          FlowColumn.DST_AS,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.EXPORTER,
          FlowColumn.OBSERVATION_DOMAIN,
          FlowColumn.SOURCE_KIND);

  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;

  public long srcHi;
  public long srcLo;
  public long dstHi;
  public long dstLo;
  public int srcPort;
  public int dstPort;
  public int protocol;

  /** Type × 256 + code; meaningful only if {@link #isIcmp}. */
  public int icmpTypeCode;

  public long bytes;
  public long packets;
  public long startMillis;
  public long endMillis;
  public int tcpFlags;
  public int tos;
  public boolean outgoing;

  /** IPv4 next hop, 0 if there is none. */
  public int nextHop;

  public int inputIf;
  public int outputIf;
  public int srcAs;
  public int dstAs;
  public int srcMask;
  public int dstMask;

  public int insideHost;

  /** The number, from 1, of the attack that it belongs to; 0 for none. Encoders ignore it. */
  public int label;

  /** Whether it goes to the host that began the conversation. Encoders ignore it. */
  public boolean isAnswer;

  public boolean isIpv4() {
    return IpAddress.isIpv4(srcHi, srcLo);
  }

  public boolean isIcmp() {
    return protocol == ICMP || protocol == ICMPV6;
  }

  /** As a sampler of 1 of {@code rate} packets, with at least one packet. */
  public void sample(int rate) {
    if (rate > 1) {
      long seen = Math.max(1, packets / rate);
      bytes = bytes * seen / packets;
      packets = seen;
    }
  }

  /** The way back of the same conversation, with its own counts. */
  public void reverse(long reverseBytes, long reversePackets) {
    long hi = srcHi;
    long lo = srcLo;
    srcHi = dstHi;
    srcLo = dstLo;
    dstHi = hi;
    dstLo = lo;
    int port = srcPort;
    srcPort = dstPort;
    dstPort = port;
    int interfaceIn = inputIf;
    inputIf = outputIf;
    outputIf = interfaceIn;
    int as = srcAs;
    srcAs = dstAs;
    dstAs = as;
    int mask = srcMask;
    srcMask = dstMask;
    dstMask = mask;
    isAnswer = !isAnswer;
    outgoing = !outgoing;
    nextHop = isIpv4() ? Hosts.nextHop(outgoing) : 0;
    if (protocol == ICMP) {
      icmpTypeCode = 0; // echo reply
    } else if (protocol == ICMPV6) {
      icmpTypeCode = 129 << 8;
    }
    bytes = reverseBytes;
    packets = reversePackets;
  }

  /** Writes the row into a builder, as source kind {@link SourceKind#SYNTHETIC}. */
  void appendTo(FlowBatchBuilder builder, long arrivalMicros, IpAddress exporter, int domain) {
    builder.beginRow();
    setColumns(builder, arrivalMicros, exporter, domain);
    builder.endRow();
  }

  /** Sets {@link #COLUMNS} of the open row, for which the flow has a value. */
  public void setColumns(
      FlowBatchBuilder builder, long arrivalMicros, IpAddress exporter, int domain) {
    builder.set(FlowColumn.START_TIME, startMillis * 1000);
    builder.set(FlowColumn.END_TIME, endMillis * 1000);
    builder.set(FlowColumn.DURATION, (endMillis - startMillis) * 1000);
    builder.set(FlowColumn.ARRIVAL, arrivalMicros);
    builder.setAddress(FlowColumn.SRC_ADDR, srcHi, srcLo);
    builder.setAddress(FlowColumn.DST_ADDR, dstHi, dstLo);
    if (isIcmp()) {
      builder.set(FlowColumn.ICMP_TYPE_CODE, icmpTypeCode);
    } else {
      builder.set(FlowColumn.SRC_PORT, srcPort);
      builder.set(FlowColumn.DST_PORT, dstPort);
    }
    builder.set(FlowColumn.PROTOCOL, protocol);
    builder.set(FlowColumn.BYTES, bytes);
    builder.set(FlowColumn.PACKETS, packets);
    if (protocol == TCP) {
      builder.set(FlowColumn.TCP_FLAGS, tcpFlags);
    }
    builder.set(FlowColumn.TOS, tos);
    builder.set(FlowColumn.OUTGOING, outgoing ? 1 : 0);
    if (nextHop != 0) {
      builder.setIpv4(FlowColumn.NEXT_HOP, nextHop);
    }
    builder.set(FlowColumn.INPUT_IF, inputIf);
    builder.set(FlowColumn.OUTPUT_IF, outputIf);
    builder.set(FlowColumn.SRC_AS, srcAs);
    builder.set(FlowColumn.DST_AS, dstAs);
    builder.set(FlowColumn.SRC_MASK, srcMask);
    builder.set(FlowColumn.DST_MASK, dstMask);
    builder.setAddress(FlowColumn.EXPORTER, exporter);
    builder.set(FlowColumn.OBSERVATION_DOMAIN, domain);
    builder.set(FlowColumn.SOURCE_KIND, SourceKind.SYNTHETIC.code());
  }
}
