package org.flowmon.bench.hostile;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.deploy.command.CommandException;

/**
 * Good and hostile batches in the topic of flows, for a job with archive and two analyses: one sees
 * all flows, the filter of the other excludes the attack. Each run is a separate process with the
 * launcher's memory, which holds Flink and the writer to the topic; the broker is another process.
 */
final class LiveCase implements HostileCase {
  private final LiveAttack attack;
  private final long rate;
  private final Duration time;
  private final long seed;
  private final long endMillis = System.currentTimeMillis();
  private Outcome alone;

  LiveCase(LiveAttack attack, long rate, Duration time, long seed) {
    this.attack = attack;
    this.rate = rate;
    this.time = time;
    this.seed = seed;
  }

  @Override
  public String name() {
    return attack.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String attack() {
    return attack.words;
  }

  @Override
  public Outcome without() throws IOException {
    alone = run(LiveAttack.NONE);
    return alone;
  }

  @Override
  public Outcome with() throws IOException {
    Outcome both;
    try {
      both = run(attack);
    } catch (CommandException e) {
      return new Outcome(
          alone.sent(),
          0,
          0,
          0,
          new TreeMap<>(),
          0,
          0,
          0,
          new TreeMap<>(),
          List.of("the job has ended: " + e.getMessage()));
    }
    List<String> differing = alone.differing(both);
    if (alone.windows().isEmpty()) {
      throw new CommandException("the job gave no report that could be compared: try more --for");
    }
    return differing.isEmpty()
        ? both
        : both.harmed(
            List.of(
                String.format(
                    "%d of %d reports of the analysis that is not attacked differ, first that of"
                        + " %s",
                    differing.size(), alone.windows().size(), differing.get(0))));
  }

  private Outcome run(LiveAttack which) throws IOException {
    byte[] json =
        ChildJvm.run(
            LiveRun.class,
            ChildJvm.LAUNCHER,
            List.of(
                which.name(),
                Long.toString(rate),
                Long.toString(time.toMillis()),
                Long.toString(endMillis),
                Long.toString(seed)));
    return new ObjectMapper().readValue(json, Outcome.class);
  }

  @Override
  public void close() {}
}
