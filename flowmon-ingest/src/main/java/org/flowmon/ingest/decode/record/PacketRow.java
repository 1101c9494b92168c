package org.flowmon.ingest.decode.record;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.Tunnel;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;

/** Writes the headers of a packet into the open row of a builder. */
public final class PacketRow {
  private static final int LABEL_SHIFT = 12;

  private final ProtectedNetworks networks;
  private final FieldTexts texts = new FieldTexts();

  public PacketRow(ProtectedNetworks networks) {
    this.networks = networks;
  }

  /** Of the frame, the IP header that was chosen, and the tunnel; {@code section} was parsed. */
  public void write(PacketHeaders headers, byte[] section, FlowBatchBuilder row) {
    if (headers.hasMacs) {
      writeMacs(headers.srcMac, headers.dstMac, row);
    }
    put(row, FlowColumn.ETHERTYPE, headers.etherType);
    put(row, FlowColumn.VLAN, headers.vlan);
    writeLabels(headers.mpls, headers.labels, row);
    if (!headers.hasIp()) {
      return;
    }
    IpHeader ip = headers.ip();
    write(ip, row);
    if (headers.hasOuter()) {
      IpHeader outer = headers.outer();
      row.setAddress(FlowColumn.OUTER_SRC_ADDR, outer.srcHi, outer.srcLo);
      row.setAddress(FlowColumn.OUTER_DST_ADDR, outer.dstHi, outer.dstLo);
    }
    if (headers.tunnel != Tunnel.NONE) {
      row.set(FlowColumn.TUNNEL, headers.tunnel.code());
      put(row, FlowColumn.VXLAN_ID, headers.vni);
    }
    IpHeader routed = headers.outer().segments > 0 ? headers.outer() : ip;
    byte[] segments = texts.segments(section, routed.segmentsAt, routed.segments);
    if (segments != null) {
      row.setText(FlowColumn.SRV6_SEGMENTS, segments);
    }
  }

  /** A MAC of 0 is none. */
  public void writeMacs(long src, long dst, FlowBatchBuilder row) {
    if (src != 0) {
      row.setText(FlowColumn.SRC_MAC, texts.mac(src));
    }
    if (dst != 0) {
      row.setText(FlowColumn.DST_MAC, texts.mac(dst));
    }
  }

  /** Entries of an MPLS stack as they are in packets. */
  public void writeLabels(int[] stack, int labels, FlowBatchBuilder row) {
    if (labels == 0) {
      return;
    }
    texts.beginList();
    for (int i = 0; i < labels; i++) {
      texts.addToList(stack[i] >>> LABEL_SHIFT);
    }
    row.set(FlowColumn.MPLS_TOP_LABEL, stack[0] >>> LABEL_SHIFT);
    byte[] all = texts.endList();
    if (all != null) {
      row.setText(FlowColumn.MPLS_LABELS, all);
    }
  }

  public void write(IpHeader ip, FlowBatchBuilder row) {
    row.setAddress(FlowColumn.SRC_ADDR, ip.srcHi, ip.srcLo);
    row.setAddress(FlowColumn.DST_ADDR, ip.dstHi, ip.dstLo);
    row.set(FlowColumn.TOS, ip.tos);
    put(row, FlowColumn.PROTOCOL, ip.protocol);
    put(row, FlowColumn.SRC_PORT, ip.srcPort);
    put(row, FlowColumn.DST_PORT, ip.dstPort);
    put(row, FlowColumn.TCP_FLAGS, ip.tcpFlags);
    put(row, FlowColumn.ICMP_TYPE_CODE, ip.icmpTypeCode);
    put(row, FlowColumn.MIN_TTL, ip.ttl);
    put(row, FlowColumn.MAX_TTL, ip.ttl);
    put(row, FlowColumn.IPV6_FLOW_LABEL, ip.flowLabel);
    if (ip.fragmentId != IpHeader.NONE || ip.isFragment()) {
      row.set(FlowColumn.FRAGMENT_FLAGS, ip.fragmentFlags);
    }
    if (ip.isFragment()) {
      row.set(FlowColumn.FRAGMENT_ID, ip.fragmentId & 0xFFFF_FFFFL);
    }
    if (networks.areKnown()) {
      row.set(FlowColumn.OUTGOING, networks.contains(ip.srcHi, ip.srcLo) ? 1 : 0);
    }
  }

  private static void put(FlowBatchBuilder row, FlowColumn column, int value) {
    if (value != IpHeader.NONE) {
      row.set(column, value);
    }
  }
}
