package org.flowmon.ingest.decode.packet;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.ProtectedNetworks;

/** Writes the headers of a packet into the open row of a builder. */
public final class PacketRow {
  private final ProtectedNetworks networks;

  public PacketRow(ProtectedNetworks networks) {
    this.networks = networks;
  }

  /** Of the frame and of the IP header that was chosen. */
  public void write(PacketHeaders headers, FlowBatchBuilder row) {
    if (headers.vlan != PacketHeaders.NONE) {
      row.set(FlowColumn.VLAN, headers.vlan);
    }
    if (headers.hasIp()) {
      write(headers.ip(), row);
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
