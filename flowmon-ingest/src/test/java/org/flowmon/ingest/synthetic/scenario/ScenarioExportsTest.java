package org.flowmon.ingest.synthetic.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.DatagramOutput;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.PacketSampler;
import org.flowmon.ingest.synthetic.exporter.RouterExports;
import org.flowmon.ingest.synthetic.exporter.RouterFleet;
import org.flowmon.ingest.synthetic.exporter.SentCounts;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What our decoder reads of a scenario's exports is what the routers saw. */
final class ScenarioExportsTest {
  private static final long UPTIME = 86_400_000L;
  private static final List<FlowColumn> SUMMED =
      List.of(
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.START_TIME,
          FlowColumn.END_TIME,
          FlowColumn.PROTOCOL,
          FlowColumn.TOS,
          FlowColumn.INPUT_IF,
          FlowColumn.OUTPUT_IF,
          FlowColumn.SRC_AS,
          FlowColumn.DST_AS,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.TCP_FLAGS,
          FlowColumn.ICMP_TYPE_CODE,
          FlowColumn.OBSERVATION_DOMAIN);

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(997);

  /** What was sent, and sums over what the routers saw. */
  private record Run(
      SentCounts sent, Faults.Counts faults, Map<FlowColumn, Long> sums, int datagrams) {}

  private Run run(Scenario scenario) throws Exception {
    return run(scenario, new BatchCollectingSink(4_096, batch -> {}));
  }

  private Run run(Scenario scenario, FlowSink sink) throws Exception {
    List<SimulatedRouter> routers = scenario.routers();
    ExportDecoder decoder =
        new ExportDecoder(
            counters, new BadDatagramSamples(4), ProtectedNetworks.NONE, DecoderLimits.defaults());
    int[] datagrams = {0};
    DatagramOutput out =
        (router, datagram, now) -> {
          byte[] bytes = new byte[datagram.remaining()];
          datagram.get(bytes);
          datagrams[0]++;
          IpAddress from = routers.get(router).address();
          decoder.decode(bytes, 0, bytes.length, from, 4_000 + router, now * 1000, sink);
        };
    RouterExports exports =
        new RouterExports(
            routers, Scenarios.START.toEpochMilli() - UPTIME, scenario.faults(), 7, out);
    RouterFleet fleet = new RouterFleet(routers, PacketSampler.random(11));
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    SyntheticFlow flow = new SyntheticFlow();
    Map<FlowColumn, Long> sums = new TreeMap<>();
    while (traffic.next(flow)) {
      int router = fleet.observe(flow);
      if (router != RouterFleet.NONE) {
        add(flow, routers.get(router), sums);
        exports.export(router, flow, traffic.nowMillis());
      }
    }
    exports.flush(traffic.nowMillis());
    decoder.endInput();
    return new Run(exports.sent(), exports.faults(), sums, datagrams[0]);
  }

  private static void add(SyntheticFlow f, SimulatedRouter router, Map<FlowColumn, Long> sums) {
    boolean sflow = router.version() == SourceKind.SFLOW;
    long records = sflow ? f.packets : records(f, router.version());
    Map<FlowColumn, Long> of = new TreeMap<>();
    of.put(FlowColumn.START_TIME, f.startMillis * 1000);
    of.put(FlowColumn.END_TIME, f.endMillis * 1000);
    of.put(FlowColumn.PROTOCOL, (long) f.protocol);
    of.put(FlowColumn.TOS, (long) f.tos);
    of.put(FlowColumn.INPUT_IF, (long) f.inputIf);
    of.put(FlowColumn.OUTPUT_IF, (long) f.outputIf);
    of.put(FlowColumn.SRC_AS, (long) f.srcAs);
    of.put(FlowColumn.DST_AS, (long) f.dstAs);
    of.put(FlowColumn.SRC_MASK, (long) f.srcMask);
    of.put(FlowColumn.DST_MASK, (long) f.dstMask);
    of.put(FlowColumn.SRC_PORT, (long) f.srcPort);
    boolean codeAsPort =
        f.isIcmp()
            && (router.version() == SourceKind.NETFLOW_V5
                || (router.version() == SourceKind.NETFLOW_V9 && f.isIpv4()));
    of.put(FlowColumn.DST_PORT, (long) (codeAsPort ? f.icmpTypeCode : f.dstPort));
    of.put(FlowColumn.TCP_FLAGS, (long) f.tcpFlags);
    of.put(FlowColumn.ICMP_TYPE_CODE, f.isIcmp() ? f.icmpTypeCode : 0L);
    of.put(FlowColumn.OBSERVATION_DOMAIN, (long) router.observationDomain());
    of.replaceAll((column, value) -> value * records);
    of.put(FlowColumn.BYTES, f.bytes);
    of.put(FlowColumn.PACKETS, f.packets);
    of.forEach((column, value) -> sums.merge(column, value, Long::sum));
  }

  /** Counters of 32 bits split a flow. */
  private static long records(SyntheticFlow flow, SourceKind version) {
    return version == SourceKind.IPFIX || flow.bytes <= 0xFFFF_FFFFL ? 1 : 2;
  }

  private Map<FlowColumn, Long> decodedSums() {
    Map<FlowColumn, Long> sums = new TreeMap<>();
    for (Map<FlowColumn, Object> row : recorder.rows()) {
      for (FlowColumn column : SUMMED) {
        sums.merge(column, (Long) row.getOrDefault(column, 0L), Long::sum);
      }
    }
    return sums;
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX", "SFLOW"})
  void theDecoderReadsWhatTheRoutersSaw(SourceKind version) throws Exception {
    boolean v5 = version == SourceKind.NETFLOW_V5;
    List<SimulatedRouter> routers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int sampling = i == 0 ? (version == SourceKind.SFLOW ? 50 : 1) : 10 * i;
      IpAddress address = IpAddress.ofIpv4(0xC000_0201 + i);
      routers.add(new SimulatedRouter(version, 5 + i, sampling, 1 + i, (i - 1) * 2_000L, address));
    }
    List<Attack> attacks = new ArrayList<>(Scenarios.everyAttack());
    if (v5) {
      attacks.remove(4); // in IPv6
      attacks.remove(1);
    }
    Scenario scenario = Scenarios.of(1, 300, v5 ? 0 : 0.2, attacks, routers, Faults.NONE);
    Run run = run(scenario, recorder);
    assertEquals(run.sent().flows(), recorder.rows().size());
    assertEquals(run.sent().flows(), counters.get(IngestCounter.FLOWS_DECODED));
    assertEquals(run.datagrams(), counters.get(IngestCounter.DATAGRAMS_DECODED));
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS));
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS));
    Map<FlowColumn, Long> expected = new TreeMap<>(run.sums());
    Map<FlowColumn, Long> found = decodedSums();
    if (version == SourceKind.SFLOW) { // only the arrival is known
      List.of(FlowColumn.START_TIME, FlowColumn.END_TIME)
          .forEach(
              column -> {
                expected.remove(column);
                found.remove(column);
              });
    }
    assertEquals(expected, found);
    for (Map<FlowColumn, Object> row : recorder.rows()) {
      long domain = (Long) row.get(FlowColumn.OBSERVATION_DOMAIN);
      long rate = routers.get((int) domain - 5).samplingRate();
      assertEquals(rate, row.getOrDefault(FlowColumn.SAMPLING_RATE, 1L), row::toString);
    }
  }

  @Test
  void sampledCountsEstimateTheTraffic() throws Exception {
    SimulatedRouter exact = new SimulatedRouter(SourceKind.IPFIX, 1, 1, 1);
    SimulatedRouter sampling = new SimulatedRouter(SourceKind.IPFIX, 1, 100, 1);
    Run all = run(Scenarios.of(2, 5_000, 0, List.of(), List.of(exact), Faults.NONE));
    Run some = run(Scenarios.of(2, 5_000, 0, List.of(), List.of(sampling), Faults.NONE));
    double packets = all.sums().get(FlowColumn.PACKETS);
    double estimated = 100.0 * some.sums().get(FlowColumn.PACKETS);
    assertEquals(packets, estimated, 0.05 * packets);
    double bytes = all.sums().get(FlowColumn.BYTES);
    assertEquals(bytes, 100.0 * some.sums().get(FlowColumn.BYTES), 0.1 * bytes);
    assertTrue(some.sent().flows() < all.sent().flows() / 20, some.sent().toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX", "SFLOW"})
  void asMuchGoesWrongAsWasAskedFor(SourceKind version) throws Exception {
    Faults faults = new Faults(0.5, 0.1, 0.2, 0.05);
    SimulatedRouter router = new SimulatedRouter(version, 3, 1, 1);
    Run run = run(Scenarios.of(3, 3_000, 0, List.of(), List.of(router), faults));
    Faults.Counts counts = run.faults();
    long sent = run.sent().total().datagrams();
    long arrived = sent - counts.lost();
    assertTrue(sent > 5_000, sent + " datagrams");
    near(0.1, counts.lost(), sent);
    near(0.05, counts.malformed(), arrived);
    near(0.2, counts.duplicates(), arrived);
    assertEquals(arrived + counts.duplicates(), run.datagrams());
    boolean templates = version == SourceKind.NETFLOW_V9 || version == SourceKind.IPFIX;
    assertTrue(
        templates ? counts.templatesLost() > 5 : counts.templatesLost() == 0, counts.toString());
    // A malformed one may arrive twice, too.
    long refused =
        counters.get(IngestCounter.DATAGRAMS_DAMAGED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT);
    assertTrue(refused >= counts.malformed(), refused + " refused: " + counts);
    near(0.05, refused, run.datagrams());
    assertEquals(run.datagrams(), refused + counters.get(IngestCounter.DATAGRAMS_DECODED));
  }

  private static void near(double share, long count, long of) {
    double deviation = Math.sqrt(share * (1 - share) * of);
    assertEquals(share * of, (double) count, 6 * deviation, count + " of " + of);
  }

  @Test
  void aDatagramIsNeverLargerThanAPathTakes() throws Exception {
    SimulatedRouter router = new SimulatedRouter(SourceKind.SFLOW, 3, 1, 1);
    List<Integer> sizes = new ArrayList<>();
    DatagramOutput out = (number, datagram, now) -> sizes.add(datagram.remaining());
    RouterExports exports = new RouterExports(List.of(router), 0, Faults.NONE, 0, out);
    Scenario scenario = Scenarios.of(4, 500, 1, List.of(), List.of(router), Faults.NONE);
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    SyntheticFlow flow = new SyntheticFlow();
    while (traffic.next(flow)) {
      exports.export(0, flow, traffic.nowMillis());
    }
    assertTrue(sizes.stream().allMatch(size -> size <= 1_400), sizes.toString());
    assertTrue(sizes.stream().anyMatch(size -> size > 1_200), sizes.toString());
  }
}
