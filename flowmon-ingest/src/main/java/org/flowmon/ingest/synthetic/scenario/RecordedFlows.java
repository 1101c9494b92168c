package org.flowmon.ingest.synthetic.scenario;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Rows of a recorded trace as flows that a router can export, up to {@link #ROWS} at a time. What a
 * router cannot say is lost: other columns, times below a millisecond, and whether a number was
 * NULL (it is 0). A row of both directions is two flows. Reused, not thread-safe.
 */
public final class RecordedFlows {
  public static final int ROWS = 1_024;

  private static final int WORDS = ROWS / 64;

  private final List<Column> columns = new ArrayList<>();
  private final Column start = column(FlowColumn.START_TIME);
  private final Column end = column(FlowColumn.END_TIME);
  private final Column arrival = column(FlowColumn.ARRIVAL);
  private final Column source = column(FlowColumn.SRC_ADDR);
  private final Column destination = column(FlowColumn.DST_ADDR);
  private final Column sourcePort = column(FlowColumn.SRC_PORT);
  private final Column destinationPort = column(FlowColumn.DST_PORT);
  private final Column protocol = column(FlowColumn.PROTOCOL);
  private final Column bytes = column(FlowColumn.BYTES);
  private final Column packets = column(FlowColumn.PACKETS);
  private final Column reverseBytes = column(FlowColumn.REVERSE_BYTES);
  private final Column reversePackets = column(FlowColumn.REVERSE_PACKETS);
  private final Column tcpFlags = column(FlowColumn.TCP_FLAGS);
  private final Column tos = column(FlowColumn.TOS);
  private final Column icmp = column(FlowColumn.ICMP_TYPE_CODE);
  private final Column outgoing = column(FlowColumn.OUTGOING);
  private final Column nextHop = column(FlowColumn.NEXT_HOP);
  private final Column input = column(FlowColumn.INPUT_IF);
  private final Column output = column(FlowColumn.OUTPUT_IF);
  private final Column sourceAs = column(FlowColumn.SRC_AS);
  private final Column destinationAs = column(FlowColumn.DST_AS);
  private final Column sourceMask = column(FlowColumn.SRC_MASK);
  private final Column destinationMask = column(FlowColumn.DST_MASK);

  /** Values of a column; a NULL is 0. */
  private static final class Column {
    final FlowColumn column;
    final long[] high = new long[ROWS];
    final long[] low = new long[ROWS];
    final long[] valid = new long[WORDS];

    Column(FlowColumn column) {
      this.column = column;
    }

    void read(FlowRows rows, int from, int count) {
      if (column.type() == ColumnType.ADDRESS) {
        rows.readAddresses(column, from, count, high, low);
      } else {
        rows.readLongs(column, from, count, low);
      }
      rows.readValidity(column, from, count, valid);
    }

    boolean isNull(int row) {
      return (valid[row >>> 6] >>> row & 1) == 0;
    }

    int number(int row) {
      return (int) low[row];
    }
  }

  private Column column(FlowColumn column) {
    Column added = new Column(column);
    columns.add(added);
    return added;
  }

  /** What {@link #read} needs. */
  public List<FlowColumn> columns() {
    return columns.stream().map(column -> column.column).toList();
  }

  public void read(FlowRows rows, int from, int count) {
    for (Column column : columns) {
      column.read(rows, from, count);
    }
  }

  /** ms since 1970. */
  public long arrivalMillis(int row) {
    return Math.floorDiv(arrival.low[row], 1000L);
  }

  /** False, and nothing is written, if an address is NULL, or the two are of different families. */
  public boolean write(int row, long shiftMillis, SyntheticFlow flow) {
    if (source.isNull(row)
        || destination.isNull(row)
        || IpAddress.isIpv4(source.high[row], source.low[row])
            != IpAddress.isIpv4(destination.high[row], destination.low[row])) {
      return false;
    }
    flow.srcHi = source.high[row];
    flow.srcLo = source.low[row];
    flow.dstHi = destination.high[row];
    flow.dstLo = destination.low[row];
    flow.insideHost = (int) (flow.srcLo ^ flow.dstLo ^ flow.srcHi ^ flow.dstHi);
    flow.srcPort = sourcePort.number(row);
    flow.dstPort = destinationPort.number(row);
    flow.protocol = protocol.number(row);
    flow.icmpTypeCode = icmp.number(row);
    flow.bytes = bytes.low[row];
    flow.packets = packets.low[row];
    Column last = end.isNull(row) ? (start.isNull(row) ? arrival : start) : end;
    Column first = start.isNull(row) ? last : start;
    flow.endMillis = Math.floorDiv(last.low[row], 1000L) + shiftMillis;
    flow.startMillis = Math.floorDiv(first.low[row], 1000L) + shiftMillis;
    flow.tcpFlags = tcpFlags.number(row);
    flow.tos = tos.number(row);
    flow.outgoing = outgoing.low[row] != 0;
    boolean hasHop = IpAddress.isIpv4(nextHop.high[row], nextHop.low[row]);
    flow.nextHop = hasHop ? nextHop.number(row) : 0;
    flow.inputIf = input.number(row);
    flow.outputIf = output.number(row);
    flow.srcAs = sourceAs.number(row);
    flow.dstAs = destinationAs.number(row);
    flow.srcMask = sourceMask.number(row);
    flow.dstMask = destinationMask.number(row);
    flow.label = 0;
    return true;
  }

  /** Whether something was counted on the way back. */
  public boolean hasReverse(int row) {
    return (reverseBytes.low[row] | reversePackets.low[row]) != 0;
  }

  /** Turns the flow that {@link #write} gave into that of the way back. */
  public void writeReverse(int row, SyntheticFlow flow) {
    flow.reverse(reverseBytes.low[row], reversePackets.low[row]);
    flow.nextHop = 0;
  }
}
