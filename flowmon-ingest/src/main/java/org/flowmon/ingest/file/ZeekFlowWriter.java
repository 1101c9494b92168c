package org.flowmon.ingest.file;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.ProtectedNetworks;

/** Makes a flow of the values of a line, as {@code docs/format/flow.md} says. */
final class ZeekFlowWriter {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private final ZeekValues values;
  private final ProtectedNetworks networks;
  private final ArrivalClock clock;
  private final FlowSink out;
  private String problem = "";

  ZeekFlowWriter(ZeekValues values, FileReadOptions options, FlowSink out) {
    this.values = values;
    this.networks = options.networks();
    this.clock = options.clock();
    this.out = out;
  }

  /** What {@link #write} found wrong. */
  String problem() {
    return problem;
  }

  /**
   * Hands the values to the sink as one flow.
   *
   * @return null, or why they are none; nothing is handed over then
   */
  RejectReason write() {
    if (!values.has(ZeekField.TS)) {
      problem = "the connection has no ts";
      return RejectReason.MISSING_TIME;
    }
    int protocol = protocol();
    boolean icmp = protocol == ICMP || protocol == ICMPV6;
    if (icmp && (isPast(ZeekField.ORIG_P, 0xFF) || isPast(ZeekField.RESP_P, 0xFF))) {
      problem = "the ports of an ICMP connection are type and code, expected 0…255";
      return RejectReason.BAD_PORT;
    }
    long start = values.value(ZeekField.TS);
    long end = values.has(ZeekField.DURATION) ? start + values.value(ZeekField.DURATION) : start;
    FlowBatchBuilder row = out.builder();
    row.beginRow();
    row.set(FlowColumn.START_TIME, start);
    row.set(FlowColumn.END_TIME, end);
    row.set(FlowColumn.ARRIVAL, clock.arrival(end));
    row.set(FlowColumn.SOURCE_KIND, SourceKind.ZEEK.code());
    if (protocol >= 0) {
      row.set(FlowColumn.PROTOCOL, protocol);
    }
    address(row, FlowColumn.SRC_ADDR, ZeekField.ORIG_H);
    address(row, FlowColumn.DST_ADDR, ZeekField.RESP_H);
    if (icmp) {
      icmp(row);
    } else {
      number(row, FlowColumn.SRC_PORT, ZeekField.ORIG_P);
      number(row, FlowColumn.DST_PORT, ZeekField.RESP_P);
    }
    outgoing(row);
    counts(row);
    text(row, FlowColumn.UID, ZeekField.UID);
    text(row, FlowColumn.SERVICE, ZeekField.SERVICE);
    text(row, FlowColumn.HISTORY, ZeekField.HISTORY);
    row.endRow();
    out.rowsEnded(1);
    return null;
  }

  private void counts(FlowBatchBuilder row) {
    number(row, FlowColumn.DURATION, ZeekField.DURATION);
    number(row, FlowColumn.BYTES, ZeekField.ORIG_IP_BYTES);
    number(row, FlowColumn.PACKETS, ZeekField.ORIG_PKTS);
    number(row, FlowColumn.REVERSE_BYTES, ZeekField.RESP_IP_BYTES);
    number(row, FlowColumn.REVERSE_PACKETS, ZeekField.RESP_PKTS);
    number(row, FlowColumn.PAYLOAD_BYTES, ZeekField.ORIG_BYTES);
    number(row, FlowColumn.REVERSE_PAYLOAD_BYTES, ZeekField.RESP_BYTES);
    number(row, FlowColumn.STATE, ZeekField.CONN_STATE);
    number(row, FlowColumn.VLAN, ZeekField.VLAN);
  }

  /** Zeek calls ICMP of both families icmp; {@code ip_proto}, where there, is the number itself. */
  private int protocol() {
    if (values.has(ZeekField.IP_PROTO)) {
      return (int) values.value(ZeekField.IP_PROTO);
    }
    if (!values.has(ZeekField.PROTO)) {
      return -1;
    }
    int protocol = (int) values.value(ZeekField.PROTO);
    boolean ipv6 =
        values.has(ZeekField.ORIG_H)
            && !IpAddress.isIpv4(values.high(ZeekField.ORIG_H), values.value(ZeekField.ORIG_H));
    return protocol == ICMP && ipv6 ? ICMPV6 : protocol;
  }

  private boolean isPast(ZeekField field, int max) {
    return values.has(field) && values.value(field) > max;
  }

  /** Zeek writes an ICMP message's type and code as ports. */
  private void icmp(FlowBatchBuilder row) {
    if (values.has(ZeekField.ORIG_P) && values.has(ZeekField.RESP_P)) {
      row.set(
          FlowColumn.ICMP_TYPE_CODE,
          values.value(ZeekField.ORIG_P) << 8 | values.value(ZeekField.RESP_P));
    }
  }

  private void outgoing(FlowBatchBuilder row) {
    if (networks == null) {
      number(row, FlowColumn.OUTGOING, ZeekField.LOCAL_ORIG);
    } else if (values.has(ZeekField.ORIG_H)) {
      boolean inside =
          networks.contains(values.high(ZeekField.ORIG_H), values.value(ZeekField.ORIG_H));
      row.set(FlowColumn.OUTGOING, inside ? 1 : 0);
    }
  }

  private void number(FlowBatchBuilder row, FlowColumn column, ZeekField field) {
    if (values.has(field)) {
      row.set(column, values.value(field));
    }
  }

  private void address(FlowBatchBuilder row, FlowColumn column, ZeekField field) {
    if (values.has(field)) {
      row.setAddress(column, values.high(field), values.value(field));
    }
  }

  private void text(FlowBatchBuilder row, FlowColumn column, ZeekField field) {
    if (values.has(field)) {
      row.setText(column, values.text(field));
    }
  }
}
