package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.ICMP_TYPE_CODE;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.REVERSE_TCP_FLAGS;
import static org.flowmon.flow.FlowColumn.SAMPLING_RATE;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.STATE;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.flowmon.flow.SourceKind;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The files scans.yaml and scans_fast.yaml, over every kind of scan and lookalikes of scans. */
class ScansTest {
  private static final String SCANNER = "198.51.100.1";
  private static final String VICTIM = "10.0.0.1";
  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int PSH = 8;
  private static final int ACK = 16;
  private static final int URG = 32;
  private static final int NOTHING = -1;

  /**
   * What a scanner sends to a port and gets back of a closed one and of an open one.
   *
   * @param sent flags of TCP
   * @param toOpen flags of all that it sends to an open one
   */
  private record Kind(
      String name, int protocol, int sent, int closed, int toOpen, int open, boolean isSlowOnly) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** How exporters tell of it: a row for each way, or one with both, of either host. */
  private enum Form {
    WAYS,
    SCANNER_FIRST,
    VICTIM_FIRST
  }

  private record Case(Kind kind, Form form, boolean isFiltered) {
    @Override
    public String toString() {
      return kind + ", " + form + (isFiltered ? ", filtered" : "");
    }
  }

  private static Kind tcp(String name, int sent, int closed, int toOpen, int open) {
    return new Kind(name, 6, sent, closed, toOpen, open, false);
  }

  /** Those of nmap. */
  static Stream<Case> cases() {
    List<Kind> kinds =
        List.of(
            tcp("SYN", SYN, RST | ACK, SYN | RST, SYN | ACK),
            tcp("connect", SYN, RST | ACK, SYN | ACK | RST, SYN | ACK),
            tcp("null", 0, RST | ACK, 0, NOTHING),
            tcp("FIN", FIN, RST | ACK, FIN, NOTHING),
            tcp("Xmas", FIN | PSH | URG, RST | ACK, FIN | PSH | URG, NOTHING),
            new Kind("ACK", 6, ACK, RST, ACK, RST, true), // and window
            new Kind("Maimon", 6, FIN | ACK, RST, FIN | ACK, NOTHING, true),
            new Kind("UDP", 17, 0, NOTHING, 0, 0, false),
            new Kind("SCTP", 132, 0, NOTHING, 0, 0, false));
    List<Case> cases = new ArrayList<>();
    for (Kind kind : kinds) {
      for (Form form : Form.values()) {
        for (boolean isFiltered : new boolean[] {false, true}) {
          cases.add(new Case(kind, form, isFiltered));
        }
      }
    }
    return cases.stream();
  }

  private static void probe(TestFlows flows, long time, Case of, int from, int port, boolean open) {
    Kind kind = of.kind();
    boolean isAnswered = !of.isFiltered() && (open ? kind.open() : kind.closed()) != NOTHING;
    Integer sent = kind.protocol() == 6 ? (Integer) (open ? kind.toOpen() : kind.sent()) : null;
    Integer got =
        kind.protocol() == 6 && isAnswered ? (Integer) (open ? kind.open() : kind.closed()) : null;
    if (of.form() == Form.WAYS) {
      way(flows, time, SCANNER, from, VICTIM, port, kind.protocol(), sent);
      if (isAnswered) {
        way(flows, time, VICTIM, port, SCANNER, from, kind.protocol(), got);
      }
      return;
    }
    // One way alone has its sender as the source.
    boolean isScannersRow = of.form() == Form.SCANNER_FIRST || !isAnswered;
    flows.add(
        time,
        SRC_ADDR,
        isScannersRow ? SCANNER : VICTIM,
        SRC_PORT,
        isScannersRow ? from : port,
        DST_ADDR,
        isScannersRow ? VICTIM : SCANNER,
        DST_PORT,
        isScannersRow ? port : from,
        PROTOCOL,
        kind.protocol(),
        TCP_FLAGS,
        isScannersRow ? sent : got,
        REVERSE_TCP_FLAGS,
        isScannersRow ? got : sent,
        PACKETS,
        1,
        REVERSE_PACKETS,
        isAnswered ? 1 : 0);
  }

  private static void way(
      TestFlows flows,
      long time,
      String from,
      int fromPort,
      String to,
      int port,
      int protocol,
      Integer flags) {
    flows.add(
        time, SRC_ADDR, from, SRC_PORT, fromPort, DST_ADDR, to, DST_PORT, port, PROTOCOL, protocol,
        TCP_FLAGS, flags, PACKETS, 1);
  }

  private static List<String> named(String analysis, TestFlows flows) {
    AnalysisConfig config = offered(analysis);
    return TestFlows.lines(
        report(config, flows.window(config, END, END - 30 * DAY)), "src_addr", "verdict");
  }

  /** Of 200 ports, a few of which are open. */
  private static TestFlows scan(Case of) {
    TestFlows flows = new TestFlows();
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 200; i++) {
      long time = END - 1000 - i * SECOND / 10;
      probe(flows, time, of, random.nextInt(33_000, 65_000), 1 + 5 * i, i % 50 == 0);
    }
    return flows;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void everyKindOfScanIsFoundAndItsVictimIsNot(Case of) {
    TestFlows flows = scan(of);
    List<String> expected = List.of(SCANNER + " scan");
    assertEquals(expected, named("scans", flows));
    assertEquals(expected, named("first_contact", flows));
    // In five minutes a bare acknowledgement may be the rest of a connection.
    if (!of.kind().isSlowOnly()) {
      assertEquals(expected, named("scans_fast", flows));
    }
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("exportedCases")
  void everyKindOfScanIsFoundInTheExportsOfRouters(SourceKind version, Case of) throws IOException {
    TestFlows flows = ExportedFlows.of(version, scan(of));
    List<String> expected = List.of(SCANNER + " scan");
    assertEquals(expected, named("scans", flows));
    assertEquals(expected, named("first_contact", flows));
    if (!of.kind().isSlowOnly()) {
      assertEquals(expected, named("scans_fast", flows));
    }
  }

  static Stream<Arguments> exportedCases() {
    return Stream.of(SourceKind.NETFLOW_V5, SourceKind.NETFLOW_V9, SourceKind.IPFIX)
        .flatMap(
            version ->
                cases().filter(of -> of.form() == Form.WAYS).map(of -> Arguments.of(version, of)));
  }

  @Test
  void sweepsAndScansOfProtocolsAreFound() {
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 90; i++) {
      long time = END - 1 - i * SECOND;
      String host = "10.0.3." + i;
      flows.add(time, SRC_ADDR, "198.51.100.2", DST_ADDR, host, PROTOCOL, 1, ICMP_TYPE_CODE, 2048);
      if (i % 3 == 0) { // a third of the hosts is there
        flows.add(time, SRC_ADDR, host, DST_ADDR, "198.51.100.2", PROTOCOL, 1, ICMP_TYPE_CODE, 0);
      }
      flows.add(
          time,
          SRC_ADDR,
          "2001:db8::2",
          DST_ADDR,
          "2001:db8:1::" + i,
          PROTOCOL,
          58,
          ICMP_TYPE_CODE,
          32_768,
          REVERSE_PACKETS,
          0);
      flows.add(time, SRC_ADDR, "198.51.100.3", DST_ADDR, VICTIM, PROTOCOL, 140 + i, PACKETS, 1);
      flows.add(time, SRC_ADDR, VICTIM, DST_ADDR, "198.51.100.3", PROTOCOL, 1, ICMP_TYPE_CODE, 770);
    }
    List<String> expected = List.of("198.51.100.3 scan", "2001:db8::2 scan", "198.51.100.2 scan");
    assertEquals(expected, named("scans", flows));
    assertEquals(expected, named("scans_fast", flows));
  }

  @Test
  void whoGetsAnswersIsNoScanner() {
    TestFlows flows = new TestFlows();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 600; i++) {
      long time = END - 1 - random.nextLong(4 * 60 * SECOND);
      int port = random.nextInt(33_000, 65_000);
      String site = "192.0." + i / 200 + "." + i % 200;
      boolean isDead = i % 6 == 0;
      Integer answer = isDead ? null : (Integer) 27;
      both(flows, time, "10.0.0.50", port, site, 443, 6, isDead ? SYN : 27, answer);
      both(flows, time, "10.0.0.53", port, site, 53, 17, null, answer);
      both(flows, time, "10.0.0.54", port, site, 443, 6, 0, 0); // no exporter of flags
      // The victim of a flood from forged sources, and what a network has of it.
      way(flows, time, "203.0.113.1", 80, site, port, 6, i % 2 == 0 ? SYN | ACK : RST | ACK);
      // Idle connections.
      both(flows, time, "10.0.0.55", port, "192.0.2." + i % 20, 443, 6, ACK, ACK);
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.51",
          DST_ADDR,
          site,
          DST_PORT,
          443,
          PROTOCOL,
          6,
          STATE,
          isDead ? 1 : 3);
      // Of a sampled connection only some of the packets are there.
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.56",
          SRC_PORT,
          port,
          DST_ADDR,
          site,
          DST_PORT,
          443,
          PROTOCOL,
          i % 3 == 0 ? 17 : 6,
          TCP_FLAGS,
          i % 3 == 0 ? null : (Integer) (i % 10 == 1 ? SYN : ACK),
          PACKETS,
          1,
          SAMPLING_RATE,
          1000);
      // Programs that look for neighbours.
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.57",
          SRC_PORT,
          port,
          DST_ADDR,
          i % 2 == 0 ? "239.255.255." + i % 250 : "10.0.0." + i % 250,
          DST_PORT,
          1900,
          PROTOCOL,
          17,
          PACKETS,
          1);
      // A monitoring of hosts, some of which are down.
      String host = "10.1.0." + i % 200;
      flows.add(
          time,
          SRC_ADDR,
          "10.0.0.58",
          DST_ADDR,
          host,
          PROTOCOL,
          1,
          ICMP_TYPE_CODE,
          2048,
          REVERSE_PACKETS,
          i % 20 == 0 ? 0 : 1);
    }
    assertEquals(List.of(), named("scans", flows));
    assertEquals(List.of(), named("scans_fast", flows));
  }

  private static void both(
      TestFlows flows,
      long time,
      String from,
      int fromPort,
      String to,
      int port,
      int protocol,
      Integer flags,
      Integer back) {
    way(flows, time, from, fromPort, to, port, protocol, flags);
    if (back != null) {
      way(flows, time, to, port, from, fromPort, protocol, protocol == 6 ? back : null);
    }
  }

  @Test
  void whatASourceTriesInVainEachDayIsUsual() {
    TestFlows flows = new TestFlows();
    for (int day = 0; day <= 7; day++) {
      for (int i = 0; i < 30; i++) {
        long time = (day == 0 ? END - 60 * SECOND : END - day * DAY) + i * SECOND;
        way(flows, time, "10.0.0.9", 50_000, "10.1.0." + i, 9100, 6, SYN); // printers that are off
        if (day == 0) {
          way(flows, time, SCANNER, 50_000, "10.1.0." + i, 9100, 6, SYN);
        }
      }
    }
    List<String> expected = List.of("10.0.0.9 usual", SCANNER + " scan");
    assertEquals(expected, named("scans", flows));
    assertEquals(expected, named("scans_fast", flows));
  }
}
