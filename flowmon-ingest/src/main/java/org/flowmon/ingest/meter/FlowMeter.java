package org.flowmon.ingest.meter;

import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.packet.IpHeader;
import org.flowmon.ingest.decode.packet.PacketHeaders;

/**
 * Makes unidirectional flows of packets: those with equal addresses, protocol and ports (of ICMP:
 * type and code). A flow ends after a time without packets, and is cut after a time with them. TCP
 * with FIN or RST ends soon after ({@link #AFTER_END_MICROS}: last acknowledgements belong to it),
 * at once if a new connection has the same ports. Memory is bounded. Not thread-safe.
 */
public final class FlowMeter {
  /** How long a TCP flow that has ended waits for its last packets. */
  static final long AFTER_END_MICROS = 5_000_000;

  private static final int TCP = 6;
  private static final int FIN_OR_RST = 5;
  private static final int SYN = 2;

  private final MeterOptions options;
  private final MeteredFlows flows;
  private final MeteredRow rows;
  private long clock = Long.MIN_VALUE;

  public FlowMeter(MeterOptions options, ProtectedNetworks networks) {
    this.options = options;
    flows = new MeteredFlows(options.maxFlows());
    rows = new MeteredRow(networks);
  }

  /** Flows that have not ended. */
  int open() {
    return flows.size();
  }

  /** Flows handed to sinks. */
  public long ended() {
    return rows.written();
  }

  /**
   * Counts a packet with a known protocol.
   *
   * @param time when it was captured, µs since 1970
   * @param arrival the clock of the file, which never goes back; flows that end arrive then
   */
  public void add(PacketHeaders headers, long time, long arrival, FlowSink out) {
    clock = Math.max(clock, arrival);
    expire(out);
    IpHeader ip = headers.ip();
    int flow = flows.find(ip);
    boolean isTcp = ip.protocol == TCP && ip.tcpFlags != IpHeader.NONE;
    if (flow != MeteredFlows.NONE) {
      if (flows.isEnded(flow) && isTcp && (ip.tcpFlags & SYN) != 0) {
        end(flow, FlowEnd.DETECTED, out);
        flow = MeteredFlows.NONE;
      } else if (time - flows.first(flow) >= options.activeMicros()) {
        end(flow, FlowEnd.ACTIVE, out);
        flow = MeteredFlows.NONE;
      }
    }
    if (flow == MeteredFlows.NONE) {
      if (flows.isFull()) {
        int ended = flows.oldest(true);
        boolean isEnded = ended != MeteredFlows.NONE;
        end(
            isEnded ? ended : flows.oldest(false),
            isEnded ? FlowEnd.DETECTED : FlowEnd.NO_ROOM,
            out);
      }
      flow = flows.add(ip, headers.vlan, time);
    }
    boolean ends = isTcp && (ip.tcpFlags & FIN_OR_RST) != 0;
    flows.count(flow, ip, time, clock, ends || flows.isEnded(flow));
  }

  /** Ends all flows. */
  public void finish(FlowSink out) {
    for (boolean ended : new boolean[] {true, false}) {
      for (int flow = flows.oldest(ended); flow >= 0; flow = flows.oldest(ended)) {
        end(flow, ended ? FlowEnd.DETECTED : FlowEnd.FORCED, out);
      }
    }
  }

  private void expire(FlowSink out) {
    long inactive = options.inactiveMicros();
    for (int flow = flows.oldest(false);
        flow != MeteredFlows.NONE && clock - flows.touched(flow) > inactive;
        flow = flows.oldest(false)) {
      end(flow, FlowEnd.IDLE, out);
    }
    long after = Math.min(inactive, AFTER_END_MICROS);
    for (int flow = flows.oldest(true);
        flow != MeteredFlows.NONE && clock - flows.touched(flow) > after;
        flow = flows.oldest(true)) {
      end(flow, FlowEnd.DETECTED, out);
    }
  }

  private void end(int flow, FlowEnd reason, FlowSink out) {
    rows.write(flows, flow, reason, clock, out);
    flows.remove(flow);
  }
}
