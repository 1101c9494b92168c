package org.flowmon.ingest.synthetic.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.ingest.synthetic.FlowStream;
import org.flowmon.ingest.synthetic.OrdinaryTraffic;
import org.flowmon.ingest.synthetic.Seed;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.ZipfSampler;

/** The flows of a scenario in the order of their exports. Not thread-safe. */
public final class ScenarioTraffic {
  private static final long FIRST_ATTACK = 1_000;
  private static final long BEHAVIOURS = 1L << 32;
  private static final long LOAD_MILLIS = 10_000;

  private final FlowStream ordinary;
  private final DailySwing swing;
  private final double gapMillis;
  private final long endMillis;
  private final List<AttackStream> streams = new ArrayList<>(); // attacks, then behaviours
  private final int attacks;
  private double ordinaryDue;
  private double gap;
  private long gapUntil;
  private int nextStream;
  private double streamDue;
  private long nowMillis;

  public ScenarioTraffic(Scenario scenario) {
    Scenario.Run run = scenario.run();
    this.swing = scenario.network().swing();
    this.ordinary = ordinary(scenario.network(), Seed.random(run.seed(), 0));
    this.nowMillis = run.start().toEpochMilli();
    this.endMillis = nowMillis + run.duration().toMillis();
    this.gapMillis = 1000 / run.flowsPerSecond();
    this.ordinaryDue = run.flowsPerSecond() > 0 ? (double) nowMillis : Double.POSITIVE_INFINITY;
    this.gapUntil = nowMillis;
    // Each has its own seed: one more changes no other flow.
    for (Attack attack : scenario.attacks()) {
      add(attack, Seed.random(run.seed(), FIRST_ATTACK + streams.size()));
    }
    this.attacks = streams.size();
    for (Behaviour behaviour : scenario.behaviours()) {
      add(behaviour, Seed.random(run.seed(), behaviour.when().name().hashCode() | BEHAVIOURS));
    }
    chooseStream();
  }

  private void add(Attack attack, SplittableRandom random) {
    double from = (double) (nowMillis + attack.when().begin().toMillis());
    double to = from + attack.when().duration().toMillis();
    streams.add(attack.flows(from, to, random));
  }

  private static FlowStream ordinary(Scenario.Network network, SplittableRandom random) {
    return network.repeats()
        ? new OrdinaryTraffic(
            new ZipfSampler(network.insideHosts(), network.skew()),
            new ZipfSampler(network.outsideHosts(), network.skew()),
            network.conversations(),
            random)
        : new DiverseTraffic(network.conversations().ipv6Share(), random);
  }

  private void chooseStream() {
    streamDue = Double.POSITIVE_INFINITY;
    for (int i = 0; i < streams.size(); i++) {
      if (streams.get(i).due() < streamDue) {
        nextStream = i;
        streamDue = streams.get(i).due();
      }
    }
  }

  /** Writes the next flow; false at the end. */
  public boolean next(SyntheticFlow flow) {
    double due = Math.min(ordinaryDue, streamDue);
    if (due >= endMillis) {
      return false;
    }
    nowMillis = (long) due;
    flow.isAnswer = false;
    if (streamDue <= ordinaryDue) {
      streams.get(nextStream).next(flow);
      flow.label = nextStream < attacks ? nextStream + 1 : 0;
      chooseStream();
    } else {
      ordinary.next(nowMillis, flow);
      flow.label = 0;
      if (nowMillis >= gapUntil) {
        gap = gapMillis / swing.load(nowMillis);
        gapUntil = nowMillis + LOAD_MILLIS;
      }
      ordinaryDue += gap;
    }
    return true;
  }

  /** When the flow that {@link #next} gave is exported (ms since 1970). */
  public long nowMillis() {
    return nowMillis;
  }
}
