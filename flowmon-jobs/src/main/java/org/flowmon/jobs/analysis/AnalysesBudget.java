package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * The limits on all analyses of a job together; an analysis that would exceed them is refused. Sums
 * over all queries over flows:
 *
 * @param groups of {@code live.groups}: what one merging task may hold of one window of each query
 * @param memory of {@code live.memory}, with stateful functions: state bytes, held as the groups
 * @param slots of {@code live.slots} of the queries' tables, which each low-level task holds
 */
public record AnalysesBudget(long groups, long memory, long slots) implements Serializable {
  public static final AnalysesBudget DEFAULT = new AnalysesBudget(64_000_000L, 2L << 30, 1L << 22);

  /** Throws {@link ConfigException} naming the analysis that does not fit, and the limit. */
  public void check(List<AnalysisConfig> analyses) {
    for (int i = 0; i < analyses.size(); i++) {
      check(analyses.subList(0, i), analyses.get(i));
    }
  }

  /** Why a change, of the running analysis of its name, does not fit; empty if it does. */
  public Optional<String> refusal(AnalysisSet running, AnalysisChange change) {
    try {
      AnalysisConfig config = change.config();
      if (config != null) {
        check(
            running.running().stream()
                .filter(other -> !other.name().equals(config.name()))
                .toList(),
            config);
      }
      return Optional.empty();
    } catch (ConfigException e) {
      return Optional.of(e.getMessage());
    }
  }

  private void check(List<AnalysisConfig> others, AnalysisConfig analysis) {
    require(analysis, "groups", groups, others, AnalysesBudget::groups);
    require(analysis, "memory", memory, others, AnalysesBudget::memory);
    require(analysis, "slots", slots, others, AnalysesBudget::slots);
  }

  private static long slots(AnalysisConfig analysis) {
    long tables =
        leaves(analysis).stream().mapToLong(leaf -> LiveGroupings.of(leaf).tables()).sum();
    return tables * analysis.live().slots();
  }

  private static long groups(AnalysisConfig analysis) {
    return (long) leaves(analysis).size() * analysis.live().groups();
  }

  private static long memory(AnalysisConfig analysis) {
    long withStates =
        leaves(analysis).stream().filter(leaf -> LiveGroupings.of(leaf).haveStates()).count();
    return withStates * analysis.live().memory();
  }

  private static List<FlowQuery> leaves(AnalysisConfig analysis) {
    return QueryParser.parseQuery(analysis.live().query()).leaves();
  }

  private static void require(
      AnalysisConfig analysis,
      String what,
      long most,
      List<AnalysisConfig> others,
      ToLongFunction<AnalysisConfig> size) {
    long wanted = size.applyAsLong(analysis);
    long ofOthers = others.stream().mapToLong(size).sum();
    if (ofOthers + wanted > most) {
      throw analysis.error(
          "live." + what,
          "does not fit: the job's analyses may have %d %s together (job.%s), the others have %d, and this one would have %d"
              .formatted(
                  most, what.equals("memory") ? "bytes of states" : what, what, ofOthers, wanted));
    }
  }
}
