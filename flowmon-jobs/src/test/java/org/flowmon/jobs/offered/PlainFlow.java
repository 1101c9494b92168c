package org.flowmon.jobs.offered;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** A flow as plain values for brute-force programs; unknown ones are null. */
record PlainFlow(
    long arrival,
    Long end,
    Long start,
    Long duration,
    IpAddress source,
    IpAddress target,
    Long sourcePort,
    Long port,
    Long protocol,
    Long bytes,
    Long packets,
    Long reverseBytes,
    Long reversePackets,
    Long flags,
    Long reverseFlags,
    Long icmp,
    Boolean outgoing,
    Long state,
    IpAddress exporter,
    Long domain,
    Long inputIf,
    Long sourceAs,
    Long targetAs,
    Long samplingRate,
    Long exported,
    Long timeFlags) {
  private static final long HOUR = 3_600_000_000L;
  private static final List<IpPrefix> PRIVATE =
      Stream.of(
              "10.0.0.0/8",
              "100.64.0.0/10",
              "172.16.0.0/12",
              "192.168.0.0/16",
              "169.254.0.0/16",
              "fc00::/7",
              "fe80::/10")
          .map(IpPrefix::parse)
          .toList();
  private static final List<IpPrefix> MANY =
      Stream.of("224.0.0.0/4", "255.255.255.255/32", "ff00::/8").map(IpPrefix::parse).toList();

  static List<PlainFlow> of(List<FlowBatch> batches) {
    List<PlainFlow> flows = new ArrayList<>();
    for (FlowBatch batch : batches) {
      for (int row = 0; row < batch.rows(); row++) {
        flows.add(of(batch, row));
      }
    }
    return flows;
  }

  private static PlainFlow of(FlowBatch batch, int row) {
    Long outgoing = number(batch, row, FlowColumn.OUTGOING);
    return new PlainFlow(
        number(batch, row, FlowColumn.ARRIVAL),
        number(batch, row, FlowColumn.END_TIME),
        number(batch, row, FlowColumn.START_TIME),
        number(batch, row, FlowColumn.DURATION),
        address(batch, row, FlowColumn.SRC_ADDR),
        address(batch, row, FlowColumn.DST_ADDR),
        number(batch, row, FlowColumn.SRC_PORT),
        number(batch, row, FlowColumn.DST_PORT),
        number(batch, row, FlowColumn.PROTOCOL),
        number(batch, row, FlowColumn.BYTES),
        number(batch, row, FlowColumn.PACKETS),
        number(batch, row, FlowColumn.REVERSE_BYTES),
        number(batch, row, FlowColumn.REVERSE_PACKETS),
        number(batch, row, FlowColumn.TCP_FLAGS),
        number(batch, row, FlowColumn.REVERSE_TCP_FLAGS),
        number(batch, row, FlowColumn.ICMP_TYPE_CODE),
        outgoing == null ? null : (Boolean) (outgoing != 0),
        number(batch, row, FlowColumn.STATE),
        address(batch, row, FlowColumn.EXPORTER),
        number(batch, row, FlowColumn.OBSERVATION_DOMAIN),
        number(batch, row, FlowColumn.INPUT_IF),
        number(batch, row, FlowColumn.SRC_AS),
        number(batch, row, FlowColumn.DST_AS),
        number(batch, row, FlowColumn.SAMPLING_RATE),
        number(batch, row, FlowColumn.EXPORT_TIME),
        number(batch, row, FlowColumn.TIME_FLAGS));
  }

  private static Long number(FlowBatch batch, int row, FlowColumn column) {
    return batch.isNull(column, row) ? null : (Long) batch.getLong(column, row);
  }

  private static IpAddress address(FlowBatch batch, int row, FlowColumn column) {
    return batch.isNull(column, row) ? null : batch.getAddress(column, row);
  }

  /** Whether it counts in a window: by its end or, without one, its arrival. */
  boolean isIn(long windowStart, long windowEnd, long lateness) {
    long time = end == null ? arrival : end;
    return time >= windowStart
        && time < windowEnd
        && arrival <= windowEnd + lateness
        && time <= arrival + HOUR; // not ahead
  }

  /** Whether history has it among the flows that ended in a range. */
  boolean ended(long from, long to, long asOf) {
    return end != null && end >= from && end < to && arrival <= asOf;
  }

  /** Returns the day before on which it ended in the hour from a time of day on, 0 for none. */
  int dayInHour(long now, int days, long asOf) {
    for (int day = 1; day <= days; day++) {
      long from = now - day * 24L * HOUR;
      if (ended(from, from + HOUR, asOf)) {
        return day;
      }
    }
    return 0;
  }

  /** Returns a count times the sampling rate, which is 1 if it is unknown. */
  private Long estimated(Long count) {
    return count == null || samplingRate == null ? count : (Long) (count * samplingRate);
  }

  Long estimatedBytes() {
    return estimated(bytes);
  }

  Long estimatedPackets() {
    return estimated(packets);
  }

  Long estimatedReverseBytes() {
    return estimated(reverseBytes);
  }

  /** Returns its start, or its end without one. */
  Long began() {
    return start == null ? end : start;
  }

  /** Whether it was sent from inside; without protected networks private addresses are. */
  Boolean isFromInside() {
    return (outgoing != null || source == null) ? outgoing : (Boolean) isPrivate(source);
  }

  static boolean isPrivate(IpAddress address) {
    return PRIVATE.stream().anyMatch(one -> one.contains(address.hi(), address.lo()));
  }

  static boolean isForMany(IpAddress address) {
    return MANY.stream().anyMatch(one -> one.contains(address.hi(), address.lo()));
  }

  static IpAddress network(IpAddress address) {
    return address == null ? null : new IpPrefix(address, address.isIpv4() ? 24 : 48).first();
  }

  boolean hasFlags(long mask, long set) {
    return flags != null && (flags & mask) == set;
  }

  private boolean tellsBothDirections() {
    return reversePackets != null || state != null;
  }

  private boolean isTcpWithFlags() {
    return protocol != null && protocol == 6 && flags != null;
  }

  boolean isFromAHigherPort() {
    return sourcePort != null && port != null && sourcePort > port;
  }

  /** Whether its packet cannot be an answer: with SYN and no ACK, or neither ACK nor RST. */
  private boolean isProbe() {
    return hasFlags(16, 0) && (hasFlags(2, 2) || hasFlags(4, 0));
  }

  /** Whether its source began it, by the rule of portscans. */
  boolean isTry() {
    if (tellsBothDirections()) {
      return true;
    } else if (isTcpWithFlags()) {
      return isProbe();
    } else if (isIcmp()) {
      return isEchoRequest();
    }
    return isFromAHigherPort();
  }

  boolean isIcmp() {
    return protocol != null && (protocol == 1 || protocol == 58);
  }

  private boolean isEchoRequest() {
    long type = icmp == null ? -1 : icmp >> 8;
    return type == 8 || type == 128;
  }

  /** Whether its source began it, by the rule of fan_out: established connections, too. */
  boolean isSpokenTo() {
    if (tellsBothDirections()) {
      return true;
    } else if (isTcpWithFlags()) {
      return hasFlags(18, 2) || (hasFlags(2, 2) && isFromAHigherPort());
    }
    return isFromAHigherPort();
  }

  /** Returns its source's network of 24 or 48 bits. */
  IpAddress prefix() {
    return network(source);
  }
}
