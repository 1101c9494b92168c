package org.flowmon.ingest.file.zeek;

import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.reader.FileReadOptions;

/** Makes a flow of the values of a line, as specified in {@code docs/format/flow.md}. */
final class ZeekFlowWriter {
  private final ZeekValues values;
  private final ProtectedNetworks networks;
  private final FlowSink out;

  ZeekFlowWriter(ZeekValues values, FileReadOptions options, FlowSink out) {
    this.values = values;
    this.networks = options.networks();
    this.out = out;
  }

  /** At {@code arrival}, µs. */
  void write(long arrival) {
    int protocol = ZeekLineReader.protocol(values);
    long start = values.value(ZeekField.TS);
    long end = values.has(ZeekField.DURATION) ? start + values.value(ZeekField.DURATION) : start;
    FlowBatchBuilder row = out.builder();
    row.beginRow();
    row.set(FlowColumn.START_TIME, start);
    row.set(FlowColumn.END_TIME, end);
    row.set(FlowColumn.ARRIVAL, arrival);
    row.set(FlowColumn.SOURCE_KIND, SourceKind.ZEEK.code());
    if (protocol >= 0) {
      row.set(FlowColumn.PROTOCOL, protocol);
    }
    address(row, FlowColumn.SRC_ADDR, ZeekField.ORIG_H);
    address(row, FlowColumn.DST_ADDR, ZeekField.RESP_H);
    if (ZeekLineReader.isIcmp(protocol)) {
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

  /** Zeek writes an ICMP message's type and code as ports. */
  private void icmp(FlowBatchBuilder row) {
    if (values.has(ZeekField.ORIG_P) && values.has(ZeekField.RESP_P)) {
      row.set(
          FlowColumn.ICMP_TYPE_CODE,
          values.value(ZeekField.ORIG_P) << 8 | values.value(ZeekField.RESP_P));
    }
  }

  private void outgoing(FlowBatchBuilder row) {
    if (!networks.areKnown()) {
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
