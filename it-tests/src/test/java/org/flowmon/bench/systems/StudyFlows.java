package org.flowmon.bench.systems;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.synthetic.Conversations;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.DailySwing;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.ingest.synthetic.scenario.ScenarioTraffic;

/**
 * The flows of one router and one day, in the order of their exports. They are what every system
 * can hold: IPv4 and whole seconds. There is no ICMP, whose type and code each system keeps
 * elsewhere.
 */
final class StudyFlows {
  /** Data in which each flow has addresses and ports of its own: the worst case for indexes. */
  static final String WORST = "worst";

  /** When the day begins, in seconds since 1970: a Monday. */
  static final long BEGIN = Instant.parse("2026-01-05T00:00:00Z").getEpochSecond();

  static final SimulatedRouter ROUTER = new SimulatedRouter(SourceKind.NETFLOW_V5, 1, 1, 1);

  private static final Duration DAY = Duration.ofDays(1);
  private static final int INSIDE_HOSTS = 2_000;
  private static final int OUTSIDE_HOSTS = 20_000;
  private static final double SKEW = 0.8;

  private StudyFlows() {}

  /** The same arguments give the same flows. */
  static List<SyntheticFlow> generate(String data, int rows, long seed) {
    Conversations conversations =
        new Conversations(
            Conversations.SERVICES.stream()
                .filter(service -> service.protocol() != SyntheticFlow.ICMP)
                .toList(),
            0,
            Conversations.Sizes.of(1.2),
            Duration.ofMillis(100),
            Duration.ofMillis(600));
    Scenario scenario =
        new Scenario(
            data,
            new Scenario.Run(
                seed,
                Instant.ofEpochSecond(BEGIN),
                DAY.plus(DAY), // rounding may make the day a bit longer
                rows / (double) DAY.toSeconds()),
            new Scenario.Network(
                INSIDE_HOSTS,
                OUTSIDE_HOSTS,
                SKEW,
                !data.equals(WORST),
                new DailySwing(0.5, 14, 1),
                conversations),
            List.of(),
            List.of(),
            List.of(ROUTER),
            Faults.NONE);
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    List<SyntheticFlow> flows = new ArrayList<>(rows);
    while (flows.size() < rows) {
      SyntheticFlow flow = new SyntheticFlow();
      if (!traffic.next(flow)) {
        throw new IllegalStateException("two days have only " + flows.size() + " flows");
      }
      flow.startMillis -= flow.startMillis % 1000;
      flow.endMillis -= flow.endMillis % 1000;
      flow.tcpFlags = flow.protocol == SyntheticFlow.TCP ? flow.tcpFlags : 0;
      flows.add(flow);
    }
    return flows;
  }

  /** A second after its end. */
  static long exportedSeconds(SyntheticFlow flow) {
    return flow.endMillis / 1000 + 1;
  }
}
