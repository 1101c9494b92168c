package org.flowmon.ingest.meter;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.ProtectedNetworks;

/** Writes a flow of packets as a row. */
final class MeteredRow {
  private final ProtectedNetworks networks;
  private long written;

  MeteredRow(ProtectedNetworks networks) {
    this.networks = networks;
  }

  long written() {
    return written;
  }

  void write(MeteredFlows flows, int flow, FlowEnd reason, long arrival, FlowSink out) {
    FlowBatchBuilder row = out.builder();
    row.beginRow();
    row.set(FlowColumn.START_TIME, flows.first(flow));
    row.set(FlowColumn.END_TIME, flows.last(flow));
    row.set(FlowColumn.DURATION, flows.last(flow) - flows.first(flow));
    row.set(FlowColumn.ARRIVAL, arrival);
    long srcHi = flows.word(flow, MeteredFlows.SRC_HI);
    long srcLo = flows.word(flow, MeteredFlows.SRC_LO);
    row.setAddress(FlowColumn.SRC_ADDR, srcHi, srcLo);
    row.setAddress(
        FlowColumn.DST_ADDR,
        flows.word(flow, MeteredFlows.DST_HI),
        flows.word(flow, MeteredFlows.DST_LO));
    long key = flows.word(flow, MeteredFlows.KEY);
    row.set(FlowColumn.PROTOCOL, MeteredFlows.protocol(key));
    if (MeteredFlows.hasPorts(key)) {
      row.set(FlowColumn.SRC_PORT, MeteredFlows.srcPort(key));
      row.set(FlowColumn.DST_PORT, MeteredFlows.dstPort(key));
    } else if (MeteredFlows.hasIcmp(key)) {
      row.set(FlowColumn.ICMP_TYPE_CODE, MeteredFlows.dstPort(key));
    }
    row.set(FlowColumn.BYTES, flows.word(flow, MeteredFlows.BYTES));
    row.set(FlowColumn.PACKETS, flows.word(flow, MeteredFlows.PACKETS));
    long rest = flows.word(flow, MeteredFlows.REST);
    if (MeteredFlows.hasFlags(rest)) {
      row.set(FlowColumn.TCP_FLAGS, MeteredFlows.flags(rest));
    }
    row.set(FlowColumn.TOS, MeteredFlows.tos(rest));
    row.set(FlowColumn.MIN_TTL, MeteredFlows.minTtl(rest));
    row.set(FlowColumn.MAX_TTL, MeteredFlows.maxTtl(rest));
    if (MeteredFlows.vlan(rest) != 0) {
      row.set(FlowColumn.VLAN, MeteredFlows.vlan(rest));
    }
    if (networks.areKnown()) {
      row.set(FlowColumn.OUTGOING, networks.contains(srcHi, srcLo) ? 1 : 0);
    }
    row.set(FlowColumn.FLOW_END_REASON, reason.code());
    row.set(FlowColumn.SOURCE_KIND, SourceKind.PACKETS.code());
    row.endRow();
    written++;
    out.rowsEnded(1);
  }
}
