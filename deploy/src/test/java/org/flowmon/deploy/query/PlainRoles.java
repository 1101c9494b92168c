package org.flowmon.deploy.query;

import java.util.Map;
import java.util.Set;
import org.flowmon.flow.FlowColumn;

/** Who is the server of a flow, told from plain values once more. */
final class PlainRoles {
  private static final Set<Long> WITH_PORTS = Set.of(6L, 17L, 33L, 132L, 136L);
  private static final Set<Long> ESTABLISHED = Set.of(2L, 3L, 5L, 6L, 7L, 8L);

  private PlainRoles() {}

  private static long value(Map<FlowColumn, Object> row, FlowColumn column) {
    return row.get(column) instanceof Long known ? known : 0;
  }

  private static boolean isProbe(long flags) {
    boolean isLoneReset = (flags & 0x16) == 0x04;
    return (flags & 0x10) == 0 && !isLoneReset;
  }

  private static boolean isBare(Map<FlowColumn, Object> row, long flags, FlowColumn packets) {
    return (flags == 0x10 || flags == 0x11)
        && row.get(packets) instanceof Long few
        && few <= 2
        && value(row, FlowColumn.SAMPLING_RATE) <= 1;
  }

  private static boolean hasPorts(Map<FlowColumn, Object> row) {
    return row.containsKey(FlowColumn.SRC_PORT) && row.containsKey(FlowColumn.DST_PORT);
  }

  /** Whether the source is the server. */
  static boolean isReversed(Map<FlowColumn, Object> row) {
    Object protocol = row.get(FlowColumn.PROTOCOL);
    boolean isOneWay = !row.containsKey(FlowColumn.REVERSE_PACKETS);
    if (protocol == null) {
      return false;
    } else if (protocol.equals(1L) || protocol.equals(58L)) {
      return isOneWay
          && row.get(FlowColumn.ICMP_TYPE_CODE) instanceof Long type
          && Set.of(0L, 14L, 18L, 129L).contains(type >> 8);
    } else if (!WITH_PORTS.contains(protocol)) {
      return false;
    }
    long source = value(row, FlowColumn.SRC_PORT);
    long target = value(row, FlowColumn.DST_PORT);
    boolean isFromService = row.containsKey(FlowColumn.SRC_PORT) && source < 1024 && target >= 1024;
    if (row.get(FlowColumn.STATE) instanceof Long state) {
      return protocol.equals(17L) && !ESTABLISHED.contains(state) && isFromService;
    }
    boolean isTcp = protocol.equals(6L);
    long sent = isTcp ? value(row, FlowColumn.TCP_FLAGS) : 0;
    if (isOneWay) {
      return hasPorts(row) && source <= target && (sent == 0 || !isProbe(sent));
    }
    long returned = isTcp ? value(row, FlowColumn.REVERSE_TCP_FLAGS) : 0;
    boolean isReturned = value(row, FlowColumn.REVERSE_PACKETS) > 0;
    if (sent == 0 && returned == 0) {
      return isFromService;
    }
    boolean knowsReturned = isReturned && row.containsKey(FlowColumn.REVERSE_TCP_FLAGS);
    if (knowsReturned && isProbe(returned) && (sent & 0x14) != 0) {
      return true;
    } else if (isProbe(sent)) {
      return false;
    }
    boolean isRefused = !isReturned || (knowsReturned && (returned & 0x16) == 0x04);
    if (isRefused && isBare(row, sent, FlowColumn.PACKETS)) {
      return false;
    }
    boolean isRefusing = (sent & 0x16) == 0x04 && isBare(row, returned, FlowColumn.REVERSE_PACKETS);
    return isRefusing || isFromService;
  }

  /** Whether only ports tell it, and neither is well known, or both are the same. */
  static boolean isGuessed(Map<FlowColumn, Object> row) {
    if (row.containsKey(FlowColumn.REVERSE_PACKETS)
        || row.containsKey(FlowColumn.STATE)
        || !hasPorts(row)
        || !WITH_PORTS.contains(row.get(FlowColumn.PROTOCOL))) {
      return false;
    }
    long source = value(row, FlowColumn.SRC_PORT);
    long target = value(row, FlowColumn.DST_PORT);
    boolean isTcp = row.get(FlowColumn.PROTOCOL).equals(6L);
    long flags = isTcp ? value(row, FlowColumn.TCP_FLAGS) : 0;
    return (flags == 0 || !isProbe(flags))
        && (source == target || (source >= 1024 && target >= 1024));
  }
}
