package org.flowmon.ingest.decode.sflow;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.record.PacketRow;

/** Turns a sample into a row: one packet, at the time of its arrival. */
final class SampleWriter {
  private static final int RANDOM = 2;
  private static final int INTERFACE = 0;
  private static final int INGRESS = 0;
  private static final int EGRESS = 1;
  private static final int MOST_VLAN = 4095;
  private static final int MOST_MASK = 128;
  private static final int MOST_REASON = 0xFFFF;
  private static final int DROPPED = 128; // RFC 7270: dropped, without a reason

  private final PacketRow packets;

  SampleWriter(ProtectedNetworks networks) {
    packets = new PacketRow(networks);
  }

  /** {@code section} holds the sampled header; {@code rate} is 0 if it is unknown. */
  void write(
      SflowHeader header,
      byte[] section,
      FlowSample sample,
      PacketRecords packet,
      RouteRecords route,
      long rate,
      FlowBatchBuilder row) {
    row.beginRow();
    writeHeader(header, row);
    writeSample(sample, rate, row);
    if (packet.hasHeaders()) {
      packets.write(packet.headers(), section, row);
    }
    if (packet.told().version != 0 && !(packet.hasHeaders() && packet.headers().hasIp())) {
      packets.write(packet.told(), row);
    }
    if (packet.hasMacs()) {
      packets.writeMacs(packet.srcMac(), packet.dstMac(), row);
      row.set(FlowColumn.ETHERTYPE, packet.etherType());
    }
    if (packet.bytes() != PacketRecords.UNKNOWN) {
      row.set(FlowColumn.BYTES, packet.bytes());
    }
    writeRoute(route, row);
    row.endRow();
  }

  private static void writeHeader(SflowHeader header, FlowBatchBuilder row) {
    row.set(FlowColumn.START_TIME, header.arrival);
    row.set(FlowColumn.END_TIME, header.arrival);
    row.set(FlowColumn.ARRIVAL, header.arrival);
    row.set(FlowColumn.DURATION, 0);
    row.set(FlowColumn.PACKETS, 1);
    row.set(FlowColumn.SOURCE_KIND, SourceKind.SFLOW.code());
    row.set(FlowColumn.OBSERVATION_DOMAIN, header.subAgent);
    row.set(FlowColumn.FLOW_SEQUENCE, header.sequence & 0xFFFF_FFFFL);
    row.set(FlowColumn.SYS_UPTIME, header.uptime & 0xFFFF_FFFFL);
    if (header.agent != null) {
      row.setAddress(FlowColumn.EXPORTER, header.agent);
    }
  }

  private static void writeSample(FlowSample sample, long rate, FlowBatchBuilder row) {
    if (sample.input != FlowSample.NONE) {
      row.set(FlowColumn.INPUT_IF, sample.input);
    }
    if (sample.output != FlowSample.NONE) {
      row.set(FlowColumn.OUTPUT_IF, sample.output);
    }
    if (sample.sourceType == INTERFACE && sample.sourceIndex == sample.input) {
      row.set(FlowColumn.FLOW_DIRECTION, INGRESS);
    } else if (sample.sourceType == INTERFACE && sample.sourceIndex == sample.output) {
      row.set(FlowColumn.FLOW_DIRECTION, EGRESS);
    }
    if (sample.discardReason >= 0 && sample.discardReason <= MOST_REASON) {
      row.set(FlowColumn.FORWARDING_STATUS, DROPPED);
      row.set(FlowColumn.DISCARD_REASON, sample.discardReason);
    }
    if (rate > 0) {
      row.set(FlowColumn.SAMPLING_RATE, rate);
    }
    if (!sample.isDiscard) {
      row.set(FlowColumn.SAMPLING_MODE, RANDOM);
    }
  }

  private void writeRoute(RouteRecords route, FlowBatchBuilder row) {
    if (route.srcVlan > 0 && route.srcVlan <= MOST_VLAN) {
      row.set(FlowColumn.VLAN, route.srcVlan);
    }
    if (route.dstVlan > 0 && route.dstVlan <= MOST_VLAN) {
      row.set(FlowColumn.POST_VLAN, route.dstVlan);
    }
    putAddress(row, FlowColumn.NEXT_HOP, route.nextHop);
    putAddress(row, FlowColumn.BGP_NEXT_HOP, route.bgpNextHop);
    putAddress(row, FlowColumn.POST_NAT_SRC_ADDR, route.natSource);
    putAddress(row, FlowColumn.POST_NAT_DST_ADDR, route.natDestination);
    if (route.natSourcePort > 0) {
      row.set(FlowColumn.POST_NAT_SRC_PORT, route.natSourcePort);
    }
    if (route.natDestinationPort > 0) {
      row.set(FlowColumn.POST_NAT_DST_PORT, route.natDestinationPort);
    }
    packets.writeLabels(route.mpls, route.labels, row);
    if (route.srcMask >= 0 && route.srcMask <= MOST_MASK) {
      row.set(FlowColumn.SRC_MASK, route.srcMask);
    }
    if (route.dstMask >= 0 && route.dstMask <= MOST_MASK) {
      row.set(FlowColumn.DST_MASK, route.dstMask);
    }
    if (route.srcAs > 0) {
      row.set(FlowColumn.SRC_AS, route.srcAs);
    }
    if (route.dstAs > 0) {
      row.set(FlowColumn.DST_AS, route.dstAs);
    }
  }

  private static void putAddress(
      FlowBatchBuilder row, FlowColumn column, RouteRecords.Address address) {
    if (address.isKnown()) {
      row.setAddress(column, address.hi, address.lo);
    }
  }
}
