package org.flowmon.ingest;

import static org.flowmon.flow.FlowColumn.BGP_NEXT_HOP;
import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DISCARD_REASON;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_AS;
import static org.flowmon.flow.FlowColumn.DST_MAC;
import static org.flowmon.flow.FlowColumn.DST_MASK;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.EGRESS_VRF;
import static org.flowmon.flow.FlowColumn.EGRESS_VRF_NAME;
import static org.flowmon.flow.FlowColumn.FLOW_DIRECTION;
import static org.flowmon.flow.FlowColumn.FORWARDING_STATUS;
import static org.flowmon.flow.FlowColumn.FRAGMENT_FLAGS;
import static org.flowmon.flow.FlowColumn.FRAGMENT_ID;
import static org.flowmon.flow.FlowColumn.HISTORY;
import static org.flowmon.flow.FlowColumn.ICMP_TYPE_CODE;
import static org.flowmon.flow.FlowColumn.INGRESS_VRF;
import static org.flowmon.flow.FlowColumn.INGRESS_VRF_NAME;
import static org.flowmon.flow.FlowColumn.INPUT_IF;
import static org.flowmon.flow.FlowColumn.IN_IF_DESCRIPTION;
import static org.flowmon.flow.FlowColumn.IN_IF_NAME;
import static org.flowmon.flow.FlowColumn.IPV6_FLOW_LABEL;
import static org.flowmon.flow.FlowColumn.MAX_TTL;
import static org.flowmon.flow.FlowColumn.MIN_TTL;
import static org.flowmon.flow.FlowColumn.MPLS_LABELS;
import static org.flowmon.flow.FlowColumn.MPLS_TOP_LABEL;
import static org.flowmon.flow.FlowColumn.NEXT_HOP;
import static org.flowmon.flow.FlowColumn.OUTER_DST_ADDR;
import static org.flowmon.flow.FlowColumn.OUTER_SRC_ADDR;
import static org.flowmon.flow.FlowColumn.OUTGOING;
import static org.flowmon.flow.FlowColumn.OUTPUT_IF;
import static org.flowmon.flow.FlowColumn.OUT_IF_DESCRIPTION;
import static org.flowmon.flow.FlowColumn.OUT_IF_NAME;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PAYLOAD_BYTES;
import static org.flowmon.flow.FlowColumn.POST_BYTES;
import static org.flowmon.flow.FlowColumn.POST_NAT_DST_ADDR;
import static org.flowmon.flow.FlowColumn.POST_NAT_DST_PORT;
import static org.flowmon.flow.FlowColumn.POST_NAT_SRC_ADDR;
import static org.flowmon.flow.FlowColumn.POST_NAT_SRC_PORT;
import static org.flowmon.flow.FlowColumn.POST_PACKETS;
import static org.flowmon.flow.FlowColumn.POST_VLAN;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_BYTES;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.REVERSE_PAYLOAD_BYTES;
import static org.flowmon.flow.FlowColumn.REVERSE_TCP_FLAGS;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_AS;
import static org.flowmon.flow.FlowColumn.SRC_MAC;
import static org.flowmon.flow.FlowColumn.SRC_MASK;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.SRV6_SEGMENTS;
import static org.flowmon.flow.FlowColumn.STATE;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.flowmon.flow.FlowColumn.TCP_RETRANSMITS;
import static org.flowmon.flow.FlowColumn.VLAN;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * Makes two rows of a row with both directions (a biflow, RFC 5103), and passes all on in their
 * order: the row as it is, then the way back.
 *
 * <pre>
 *   A → B  bytes 10  reverse_bytes 90        A → B  bytes 10
 *                                            B → A  bytes 90
 * </pre>
 *
 * <p>What belongs to an endpoint or to a side of the exporter changes places; what is known of the
 * way there alone is NULL of the way back; all else is the same. No row has reverse counters
 * afterwards; one whose reverse counters are 0 stays alone. {@code docs/format/flow.md} lists the
 * columns.
 */
public final class BiflowSplitter implements FlowSink {
  private static final int ROWS = 256;
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private static final List<List<FlowColumn>> SWAPPED =
      List.of(
          List.of(SRC_ADDR, DST_ADDR),
          List.of(SRC_PORT, DST_PORT),
          List.of(SRC_MASK, DST_MASK),
          List.of(SRC_AS, DST_AS),
          List.of(SRC_MAC, DST_MAC),
          List.of(POST_NAT_SRC_ADDR, POST_NAT_DST_ADDR),
          List.of(POST_NAT_SRC_PORT, POST_NAT_DST_PORT),
          List.of(OUTER_SRC_ADDR, OUTER_DST_ADDR),
          List.of(INPUT_IF, OUTPUT_IF),
          List.of(IN_IF_NAME, OUT_IF_NAME),
          List.of(IN_IF_DESCRIPTION, OUT_IF_DESCRIPTION),
          List.of(INGRESS_VRF, EGRESS_VRF),
          List.of(INGRESS_VRF_NAME, EGRESS_VRF_NAME));

  /** The way there → the way back. */
  private static final Map<FlowColumn, FlowColumn> OF_DIRECTION =
      Map.of(
          BYTES, REVERSE_BYTES,
          PACKETS, REVERSE_PACKETS,
          PAYLOAD_BYTES, REVERSE_PAYLOAD_BYTES,
          TCP_FLAGS, REVERSE_TCP_FLAGS);

  /** Of the packets of the way there, or seen from who began it. */
  private static final Set<FlowColumn> ONE_WAY =
      Set.of(
          NEXT_HOP,
          BGP_NEXT_HOP,
          POST_BYTES,
          POST_PACKETS,
          FORWARDING_STATUS,
          DISCARD_REASON,
          MPLS_TOP_LABEL,
          MPLS_LABELS,
          SRV6_SEGMENTS,
          IPV6_FLOW_LABEL,
          MIN_TTL,
          MAX_TTL,
          FRAGMENT_FLAGS,
          FRAGMENT_ID,
          TCP_RETRANSMITS,
          ICMP_TYPE_CODE,
          STATE,
          HISTORY);

  private final ProtectedNetworks networks;
  private final List<FlowColumn> columns = FlowColumn.all();
  private final @Nullable FlowColumn[] there; // by ordinal: whose value a column takes, if any
  private final @Nullable FlowColumn[] back;
  private final FlowBatchBuilder records = new FlowBatchBuilder(ROWS);
  private final int[] rows = new int[2 * ROWS]; // the record × 2, + 1 for its way back
  private final long[] values = new long[2 * ROWS];
  private final long[] high = new long[2 * ROWS];
  private final byte[][] texts = new byte[2 * ROWS][];
  private final long[] set = new long[2 * ROWS / Long.SIZE];
  private long split;

  @SuppressWarnings("NullAway.Init") // into sets it
  private FlowSink target;

  /**
   * Makes a splitter for one thread.
   *
   * @param networks whose flows are {@code outgoing}; without any the way back has no value
   */
  public BiflowSplitter(ProtectedNetworks networks) {
    this.networks = networks;
    this.there = columns.toArray(FlowColumn[]::new);
    this.back = columns.toArray(FlowColumn[]::new);
    for (List<FlowColumn> pair : SWAPPED) {
      back[pair.get(0).ordinal()] = pair.get(1);
      back[pair.get(1).ordinal()] = pair.get(0);
    }
    OF_DIRECTION.forEach(
        (forward, reverse) -> {
          back[forward.ordinal()] = reverse;
          back[reverse.ordinal()] = null;
          there[reverse.ordinal()] = null;
        });
    ONE_WAY.forEach(column -> back[column.ordinal()] = null);
  }

  /** This sink, whose rows go to the target from now on. */
  public FlowSink into(FlowSink newTarget) {
    target = newTarget;
    return this;
  }

  /** How many rows became two so far. */
  public long split() {
    return split;
  }

  @Override
  public FlowBatchBuilder builder() {
    return records;
  }

  @Override
  public void rowsEnded(int count) {
    int made = 0;
    for (int record = 0; record < records.rows(); record++) {
      rows[made++] = 2 * record;
      if (comesBack(record)) {
        rows[made++] = 2 * record + 1;
        split++;
      }
    }
    for (int at = 0; at < made; ) {
      FlowBatchBuilder to = target.builder();
      int block = Math.min(made - at, to.free());
      to.beginRows(block);
      for (FlowColumn column : columns) {
        copy(column, at, block, to);
      }
      to.endRows();
      target.rowsEnded(block);
      at += block;
    }
    records.clear();
  }

  private boolean comesBack(int record) {
    return records.getLong(REVERSE_PACKETS, record) > 0
        || records.getLong(REVERSE_BYTES, record) > 0
        || records.getLong(REVERSE_PAYLOAD_BYTES, record) > 0;
  }

  private void copy(FlowColumn column, int at, int block, FlowBatchBuilder to) {
    FlowColumn other = back[column.ordinal()];
    boolean isMade = column == OUTGOING && networks.areKnown();
    if (!isMade && !records.hasAny(column) && (other == null || !records.hasAny(other))) {
      return;
    }
    Arrays.fill(set, 0);
    boolean isAny = false;
    for (int i = 0; i < block; i++) {
      int record = rows[at + i] >>> 1;
      boolean isBack = (rows[at + i] & 1) != 0;
      FlowColumn from = isBack ? wayBack(column, record) : there[column.ordinal()];
      values[i] = 0;
      high[i] = 0;
      if (from == null || records.isNull(from, record)) {
        continue;
      }
      switch (column.type()) {
        case TEXT -> texts[i] = records.getText(from, record);
        case ADDRESS -> {
          high[i] = records.getHigh(from, record);
          values[i] = records.getLong(from, record);
        }
        default -> values[i] = value(column, from, record, isBack);
      }
      set[i >>> 6] |= 1L << i;
      isAny = true;
    }
    if (isAny) {
      put(column, to);
    }
  }

  private void put(FlowColumn column, FlowBatchBuilder to) {
    switch (column.type()) {
      case TEXT -> to.setTextColumn(column, texts, set);
      case ADDRESS -> to.setAddressColumn(column, high, values, set);
      default -> to.setColumn(column, values, set);
    }
  }

  /** Which column the way back takes its value from; null: it has none. */
  private @Nullable FlowColumn wayBack(FlowColumn column, int record) {
    if (column == SRC_PORT || column == DST_PORT) {
      long protocol = records.getLong(PROTOCOL, record);
      return protocol == ICMP || protocol == ICMPV6 ? null : back[column.ordinal()];
    } else if (column == VLAN || column == POST_VLAN) {
      // One tag alone is that of both ways, as of a tap.
      boolean areTwo = !records.isNull(VLAN, record) && !records.isNull(POST_VLAN, record);
      return !areTwo ? column : column == VLAN ? POST_VLAN : VLAN;
    } else if (column == OUTGOING) {
      return networks.areKnown() ? DST_ADDR : null;
    }
    return back[column.ordinal()];
  }

  private long value(FlowColumn column, FlowColumn from, int record, boolean isBack) {
    if (isBack && column == OUTGOING) {
      boolean isInside =
          networks.contains(records.getHigh(DST_ADDR, record), records.getLong(DST_ADDR, record));
      return isInside ? 1 : 0;
    }
    long value = records.getLong(from, record);
    return isBack && column == FLOW_DIRECTION && value <= 1 ? 1 - value : value;
  }
}
