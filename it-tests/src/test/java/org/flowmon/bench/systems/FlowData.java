package org.flowmon.bench.systems;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.Conversations;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.DailySwing;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.ingest.synthetic.scenario.ScenarioTraffic;

/**
 * The flows of one router in a day, in the order of their exports, as columns. Times are whole
 * seconds, all addresses of IPv4. The same number, seed and diversity give the same flows.
 */
final class FlowData {
  /** When the day begins, in seconds since 1970: a Monday. */
  static final long BEGIN = Instant.parse("2026-01-05T00:00:00Z").getEpochSecond();

  /** The router, which exports NetFlow v5. */
  static final SimulatedRouter ROUTER =
      new SimulatedRouter(
          SourceKind.NETFLOW_V5, 1, 1, 1, 0, IpAddress.ofIpv4(0xC000_0201)); // 192.0.2.1

  private static final Duration DAY = Duration.ofDays(1);
  private static final int INSIDE_HOSTS = 2_000;
  private static final int OUTSIDE_HOSTS = 20_000;
  private static final double SKEW = 0.8;
  private static final int MOST_OF_16_BITS = 0xFFFF;
  private static final int AS_TRANS = 23_456; // RFC 6793

  /** How often hosts come again. */
  enum Diversity {
    /** As in a network. */
    USUAL,
    /** Each flow has addresses and ports of its own: the worst case for indexes. */
    WORST;

    /** The name in options and tables. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final int[][] columns = new int[FlowField.values().length][];
  private final int rows;

  private FlowData(int rows) {
    this.rows = rows;
    Arrays.setAll(columns, c -> new int[rows]);
  }

  /** Generates flows of a day. */
  static FlowData generate(Diversity diversity, int rows, long seed) {
    Conversations conversations =
        new Conversations(
            Conversations.SERVICES,
            0,
            Conversations.Sizes.of(1.2),
            Duration.ofMillis(100),
            Duration.ofMillis(600));
    Scenario scenario =
        new Scenario(
            "a day",
            new Scenario.Run(
                seed,
                Instant.ofEpochSecond(BEGIN),
                DAY.plusDays(1), // a bit longer than a day if the swing needs it
                rows / (double) DAY.toSeconds()),
            new Scenario.Network(
                INSIDE_HOSTS,
                OUTSIDE_HOSTS,
                SKEW,
                diversity == Diversity.USUAL,
                new DailySwing(0.5, 14, 1),
                conversations),
            List.of(),
            List.of(ROUTER),
            Faults.NONE);
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    FlowData data = new FlowData(rows);
    SyntheticFlow flow = new SyntheticFlow();
    for (int i = 0; i < rows; i++) {
      if (!traffic.next(flow)) {
        throw new IllegalStateException("two days have only " + i + " of " + rows + " flows");
      }
      data.set(i, flow, traffic.nowMillis() / 1000);
    }
    return data;
  }

  private void set(int row, SyntheticFlow flow, long exported) {
    set(FlowField.SRC_EXPORTER, row, (int) ROUTER.address().lo());
    set(FlowField.SECS_FLOWSTART, row, (int) (flow.startMillis / 1000));
    set(FlowField.SECS_FLOWEND, row, (int) (flow.endMillis / 1000));
    set(FlowField.SECS_EXPORT, row, (int) exported);
    set(FlowField.SRC_ADDR, row, (int) flow.srcLo);
    set(FlowField.SRC_MASK, row, flow.srcMask);
    set(FlowField.SRC_PORT, row, flow.isIcmp() ? 0 : flow.srcPort);
    set(FlowField.SRC_AS, row, as(flow.srcAs));
    set(FlowField.DST_ADDR, row, (int) flow.dstLo);
    set(FlowField.DST_MASK, row, flow.dstMask);
    set(FlowField.DST_PORT, row, flow.isIcmp() ? flow.icmpTypeCode : flow.dstPort);
    set(FlowField.DST_AS, row, as(flow.dstAs));
    set(FlowField.INPUT_IF, row, flow.inputIf);
    set(FlowField.OUTPUT_IF, row, flow.outputIf);
    set(FlowField.NEXT_HOP, row, flow.nextHop);
    set(FlowField.NUM_PACKETS, row, Math.toIntExact(flow.packets));
    set(FlowField.NUM_BYTES, row, Math.toIntExact(flow.bytes));
    set(FlowField.IP_PROT, row, flow.protocol);
    set(FlowField.TCP_FLAGS, row, flow.protocol == SyntheticFlow.TCP ? flow.tcpFlags : 0);
    set(FlowField.IP_TOS, row, flow.tos);
  }

  /** NetFlow v5 has numbers of 16 bits. */
  private static int as(int number) {
    return number > MOST_OF_16_BITS ? AS_TRANS : number;
  }

  private void set(FlowField field, int row, int value) {
    columns[field.ordinal()][row] = value;
  }

  int rows() {
    return rows;
  }

  /** A value as an unsigned number. */
  long get(FlowField field, int row) {
    return columns[field.ordinal()][row] & 0xFFFF_FFFFL;
  }

  /** Writes a row into a flow, for {@link #ROUTER}. */
  void read(int row, SyntheticFlow flow) {
    flow.srcHi = 0;
    flow.srcLo = IpAddress.ipv4Low((int) get(FlowField.SRC_ADDR, row));
    flow.dstHi = 0;
    flow.dstLo = IpAddress.ipv4Low((int) get(FlowField.DST_ADDR, row));
    flow.srcPort = (int) get(FlowField.SRC_PORT, row);
    flow.dstPort = (int) get(FlowField.DST_PORT, row);
    flow.icmpTypeCode = flow.dstPort;
    flow.protocol = (int) get(FlowField.IP_PROT, row);
    flow.bytes = get(FlowField.NUM_BYTES, row);
    flow.packets = get(FlowField.NUM_PACKETS, row);
    flow.startMillis = 1000 * get(FlowField.SECS_FLOWSTART, row);
    flow.endMillis = 1000 * get(FlowField.SECS_FLOWEND, row);
    flow.tcpFlags = (int) get(FlowField.TCP_FLAGS, row);
    flow.tos = (int) get(FlowField.IP_TOS, row);
    flow.nextHop = (int) get(FlowField.NEXT_HOP, row);
    flow.inputIf = (int) get(FlowField.INPUT_IF, row);
    flow.outputIf = (int) get(FlowField.OUTPUT_IF, row);
    flow.srcAs = (int) get(FlowField.SRC_AS, row);
    flow.dstAs = (int) get(FlowField.DST_AS, row);
    flow.srcMask = (int) get(FlowField.SRC_MASK, row);
    flow.dstMask = (int) get(FlowField.DST_MASK, row);
  }
}
