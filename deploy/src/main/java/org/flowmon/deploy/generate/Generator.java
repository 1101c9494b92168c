package org.flowmon.deploy.generate;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.PacketSampler;
import org.flowmon.ingest.synthetic.exporter.RouterFleet;
import org.flowmon.ingest.synthetic.scenario.Attack;

/** One run: flows from their origin past the routers into the output, counted. */
final class Generator implements FlowConsumer {
  private static final int STEP = 1_024;
  private static final long SAMPLER = 0x5A;

  private final FlowOrigin origin;
  private final FlowOutput output;
  private final Labels labels;
  private final Pace pace;
  private final long mostFlows;
  private final long mostMillis;
  private final Progress progress;
  private final Interruption interruption;
  private final RouterFleet fleet;
  private long firstMillis;
  private long nowMillis;
  private long flows;
  private long bytes;
  private long packets;
  private long unseen;
  private double seconds;

  /** Ends after so many flows, and before the flows' times go on for longer than so many ms. */
  record Limits(long flows, long millis) {}

  Generator(
      FlowOrigin origin,
      FlowOutput output,
      Labels labels,
      Pace pace,
      Limits limits,
      Progress progress,
      Interruption interruption) {
    this.origin = origin;
    this.output = output;
    this.labels = labels;
    this.pace = pace;
    this.mostFlows = limits.flows();
    this.mostMillis = limits.millis();
    this.progress = progress;
    this.interruption = interruption;
    this.fleet = new RouterFleet(origin.routers(), PacketSampler.random(origin.seed() + SAMPLER));
  }

  /** Runs to the end; if it is stopped, files are not written. */
  void run() throws IOException {
    long start = System.nanoTime();
    progress.begin(origin.name(), origin.durationMillis(), () -> nowMillis - firstMillis);
    origin.forEach(this);
    if (!output.isLive()) {
      interruption.check();
    }
    output.finish(nowMillis);
    labels.finish();
    progress.clear();
    seconds = (System.nanoTime() - start) / 1e9;
  }

  @Override
  public boolean accept(SyntheticFlow flow, long now) throws IOException {
    if (flows == 0 && unseen == 0) {
      firstMillis = now;
    }
    if (now - firstMillis >= mostMillis || interruption.isStopped()) {
      return false;
    }
    nowMillis = now;
    int router = fleet.observe(flow);
    if (router == RouterFleet.NONE) {
      unseen++;
      return true;
    }
    output.advance(now); // before a wait
    pace.await(now, interruption::isStopped);
    bytes += flow.bytes;
    packets += flow.packets;
    if (flow.label > 0) {
      labels.add(router, flow);
    }
    output.add(router, flow, now);
    if (++flows % STEP == 0) {
      progress.flows(STEP);
    }
    return flows < mostFlows;
  }

  void tell(PrintStream out) {
    out.printf(
        Locale.ROOT,
        "%s: %,d flows, %,d packets, %,d bytes from %s to %s%n",
        origin.name(),
        flows,
        packets,
        bytes,
        Instant.ofEpochMilli(firstMillis),
        Instant.ofEpochMilli(nowMillis));
    List<Attack> attacks = origin.attacks();
    for (int i = 0; i < attacks.size(); i++) {
      out.printf(
          Locale.ROOT,
          "  of them %,d of %s (%s)%n",
          labels.flows(i),
          attacks.get(i).when().name(),
          attacks.get(i).type());
    }
    if (unseen > 0) {
      out.printf(Locale.ROOT, "  beside them %,d that no router saw or can export%n", unseen);
    }
    output.told().forEach(out::println);
    origin.remarks().forEach(out::println);
    out.printf(Locale.ROOT, "in %.1f s, %,.0f flows/s%n", seconds, flows / Math.max(1e-9, seconds));
  }
}
