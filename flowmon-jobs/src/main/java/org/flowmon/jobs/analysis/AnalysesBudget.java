package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * What all analyses of a job may take together. An analysis with which they would take more is
 * refused.
 *
 * @param groups the sum of {@code live.groups}, for each query over flows: what one task of the
 *     merge may hold of one window of each
 * @param memory the sum of {@code live.memory}, for each query over flows with functions that keep
 *     states: bytes of these that one task of the merge may hold of one window of each
 * @param slots the sum of {@code live.slots}, for each table of the queries: what each task of the
 *     low level holds
 */
public record AnalysesBudget(long groups, long memory, long slots) implements Serializable {
  /** Where nothing else is said. */
  public static final AnalysesBudget DEFAULT = new AnalysesBudget(64_000_000L, 2L << 30, 1L << 22);

  /**
   * Checks analyses that are to run together.
   *
   * @throws ConfigException saying which of them does not fit, and how much there is
   */
  public void check(List<AnalysisConfig> analyses) {
    for (int i = 0; i < analyses.size(); i++) {
      check(analyses.subList(0, i), analyses.get(i));
    }
  }

  /**
   * Why a change does not fit; null where it does.
   *
   * @param running what runs; what has the change's name is replaced
   */
  public String refusal(AnalysisSet running, AnalysisChange change) {
    try {
      AnalysisConfig config = change.config();
      if (config != null) {
        check(
            running.running().stream()
                .filter(other -> !other.name().equals(config.name()))
                .toList(),
            config);
      }
      return null;
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }

  private void check(Collection<AnalysisConfig> others, AnalysisConfig analysis) {
    long groupsOfOthers = others.stream().mapToLong(AnalysesBudget::groups).sum();
    require(analysis, "groups", groups, groupsOfOthers, groups(analysis));
    long memoryOfOthers = others.stream().mapToLong(AnalysesBudget::memory).sum();
    require(analysis, "memory", memory, memoryOfOthers, memory(analysis));
    long slotsOfOthers = others.stream().mapToLong(AnalysesBudget::slots).sum();
    require(analysis, "slots", slots, slotsOfOthers, slots(analysis));
  }

  private static long slots(AnalysisConfig analysis) {
    int tables = 0;
    for (FlowQuery leaf : leaves(analysis)) {
      tables += LiveGroupings.of(leaf).tables();
    }
    return (long) tables * analysis.live().slots();
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
      AnalysisConfig analysis, String what, long most, long others, long wanted) {
    if (others + wanted > most) {
      throw analysis.error(
          "live." + what,
          "does not fit: the job's analyses may have "
              + most
              + " "
              + (what.equals("memory") ? "bytes of states" : what)
              + " together (job."
              + what
              + "), the others have "
              + others
              + ", and this one would have "
              + wanted);
    }
  }
}
