package org.flowmon.bench.live;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;

/** Rounds of a job over the same flows. */
final class JobRounds {
  private final List<Double> perSecond = new ArrayList<>();
  private final List<Double> jobMicros = new ArrayList<>();
  private final List<Double> brokerMicros = new ArrayList<>();

  /** Runs a job. */
  interface Round {
    LiveCluster.Took run(int round) throws IOException;
  }

  private JobRounds() {}

  /** Runs a job as often as {@code --rounds} says, after a first time that warms up. */
  static JobRounds of(Run run, String name, long flows, Round job) throws IOException {
    JobRounds rounds = new JobRounds();
    for (int r = 0; r <= run.integer("rounds"); r++) {
      LiveCluster.Took took = job.run(r);
      run.progress("%s, round %d: %,.0f flows/s", name, r, flows / took.seconds());
      if (r > 0) {
        rounds.perSecond.add(flows / took.seconds());
        rounds.jobMicros.add(took.jobCpu() * 1e6 / flows);
        rounds.brokerMicros.add(took.brokerCpu() * 1e6 / flows);
      }
    }
    return rounds;
  }

  Samples perSecond() {
    return Samples.of(perSecond);
  }

  /** CPU microseconds of the job for a flow. */
  double jobMicros() {
    return Samples.of(jobMicros).median();
  }

  /** CPU microseconds of the broker for a flow. */
  double brokerMicros() {
    return Samples.of(brokerMicros).median();
  }

  /** Whether the median reached a rate; a quick run says nothing of it, and 0 is any. */
  String reached(Run run, long must) {
    return run.quick() || must == 0 ? "–" : perSecond().median() >= must ? "yes" : "no";
  }

  /** Draws the rate of each round, and what must be reached. */
  void plot(Run run, String line, long must) {
    for (int r = 0; r < perSecond.size(); r++) {
      run.point(line, r + 1, perSecond.get(r));
      if (must > 0) {
        run.point(String.format("must reach, %,d", must), r + 1, (double) must);
      }
    }
  }
}
