package org.flowmon.udaf.function;

import java.util.Collection;
import org.flowmon.udaf.frequency.HeavyHittersBenchmark;
import org.flowmon.udaf.quantile.QuantileBenchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the low halves of the benchmarks under JMH's gc profiler and fails if one allocates more
 * than a hundredth of a byte a row; the remainder is the harness's own.
 */
public final class LowHalfAllocations {
  private static final String NORM = "gc.alloc.rate.norm";
  private static final double MOST = 0.01;

  private LowHalfAllocations() {}

  /** Without arguments. */
  @SuppressWarnings("rawtypes") // of JMH
  public static void main(String[] args) throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(HeavyHittersBenchmark.class.getName() + ".lowHalf")
                    .include(QuantileBenchmark.class.getName() + ".lowHalf")
                    .param("groups", "100")
                    .warmupTime(TimeValue.milliseconds(500))
                    .measurementTime(TimeValue.milliseconds(500))
                    .addProfiler(GCProfiler.class)
                    .build())
            .run();
    int wrong = 0;
    for (RunResult result : results) {
      double norm =
          result.getSecondaryResults().entrySet().stream()
              .filter(entry -> entry.getKey().endsWith(NORM))
              .mapToDouble(entry -> entry.getValue().getScore())
              .findFirst()
              .orElseThrow(() -> new IllegalStateException("the profiler told no " + NORM));
      boolean isWrong = !(norm <= MOST);
      wrong += isWrong ? 1 : 0;
      System.out.printf(
          "%s %s: %.5f B/op%s%n",
          isWrong ? "WRONG" : "right",
          result.getParams().id(),
          norm,
          isWrong ? ", expected at most " + MOST : "");
    }
    if (wrong > 0 || results.isEmpty()) {
      throw new IllegalStateException(
          wrong + " of " + results.size() + " low halves allocate for rows");
    }
  }
}
