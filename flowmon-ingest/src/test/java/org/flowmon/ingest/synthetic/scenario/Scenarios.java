package org.flowmon.ingest.synthetic.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Conversations;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.ExportedRow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;

/** Scenarios for tests. */
final class Scenarios {
  static final Instant START = Instant.parse("2026-01-05T08:00:00Z");

  private Scenarios() {}

  static Scenario of(
      long seed,
      double perSecond,
      double ipv6,
      List<Attack> attacks,
      List<SimulatedRouter> routers,
      Faults faults) {
    Conversations conversations =
        new Conversations(
            Conversations.SERVICES,
            ipv6,
            Conversations.Sizes.of(1.2),
            Duration.ofMillis(100),
            Duration.ofMillis(600));
    return new Scenario(
        "",
        new Scenario.Run(seed, START, Duration.ofSeconds(60), perSecond),
        new Scenario.Network(500, 2_000, 0.8, true, DailySwing.NONE, conversations),
        List.of(),
        attacks,
        routers,
        faults);
  }

  static Attack.When when(String name) {
    return new Attack.When(name, Duration.ofSeconds(5), Duration.ofSeconds(50));
  }

  static List<Attack> everyAttack() {
    return List.of(
        new Scan(
            when("scan"),
            IpAddress.parse("203.0.113.9"),
            IpAddress.parse("10.0.7.1"),
            8,
            20,
            100,
            SyntheticFlow.TCP,
            100,
            0.5),
        new Beacon(
            when("beacon"),
            IpAddress.parse("2001:db8:1::7"),
            IpAddress.parse("2001:db8:8000::9"),
            443,
            Duration.ofSeconds(2),
            0.1,
            700),
        new Flood(when("syn"), Flood.Kind.SYN, IpAddress.parse("10.0.0.7"), 80, 500, 200),
        new Flood(when("udp"), Flood.Kind.UDP, IpAddress.parse("10.0.0.7"), 80, 500, 100),
        new Flood(
            when("dns"), Flood.Kind.AMPLIFICATION, IpAddress.parse("2001:db8:1::3"), 80, 500, 100),
        new Transfer(
            when("out"),
            true,
            IpAddress.parse("10.0.1.1"),
            IpAddress.parse("203.0.113.3"),
            443,
            5_000_000_000L,
            3),
        new Transfer(
            when("in"),
            false,
            IpAddress.parse("203.0.113.4"),
            IpAddress.parse("10.0.1.2"),
            443,
            77_777_777L,
            7));
  }

  /** A flow and the number of its attack. */
  record Labelled(int label, long now, ExportedRow row) {}

  static List<Labelled> flows(Scenario scenario) {
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    SyntheticFlow flow = new SyntheticFlow();
    List<Labelled> flows = new ArrayList<>();
    while (traffic.next(flow)) {
      flows.add(new Labelled(flow.label, traffic.nowMillis(), ExportedRow.of(flow)));
    }
    return flows;
  }
}
