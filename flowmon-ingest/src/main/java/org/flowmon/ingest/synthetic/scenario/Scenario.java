package org.flowmon.ingest.synthetic.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.flowmon.ingest.synthetic.Conversations;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;

/**
 * Traffic of a network, what goes wrong in it, and the routers that export it: the same flows for
 * the same scenario.
 */
public record Scenario(
    String description,
    Run run,
    Network network,
    List<Behaviour> behaviours,
    List<Attack> attacks,
    List<SimulatedRouter> routers,
    Faults faults) {
  /**
   * How much of the traffic there is.
   *
   * @param flowsPerSecond ordinary flows of a mean time of day; behaviours and attacks add theirs
   */
  public record Run(long seed, Instant start, Duration duration, double flowsPerSecond) {}

  /**
   * Who talks with whom.
   *
   * @param skew Zipf exponent of the hosts' activity; 0 is uniform, 1 is classic Zipf
   * @param repeats whether hosts come again; else each flow has addresses and ports of its own, the
   *     worst case for indexes and group tables
   */
  public record Network(
      int insideHosts,
      int outsideHosts,
      double skew,
      boolean repeats,
      DailySwing swing,
      Conversations conversations) {}

  public Scenario {
    behaviours = List.copyOf(behaviours);
    attacks = List.copyOf(attacks);
    routers = List.copyOf(routers);
  }

  public Scenario withRun(Run other) {
    return new Scenario(description, other, network, behaviours, attacks, routers, faults);
  }

  public Scenario withRouters(List<SimulatedRouter> others) {
    return new Scenario(description, run, network, behaviours, attacks, others, faults);
  }

  /** Without IPv6, for routers that carry none. */
  public Scenario withoutIpv6() {
    Conversations c = network.conversations();
    Network ipv4 =
        new Network(
            network.insideHosts(),
            network.outsideHosts(),
            network.skew(),
            network.repeats(),
            network.swing(),
            new Conversations(c.services(), 0, c.sizes(), c.exportDelayMin(), c.exportDelayMax()));
    return new Scenario(description, run, ipv4, behaviours, attacks, routers, faults);
  }
}
