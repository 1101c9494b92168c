package org.flowmon.jobs.analysis;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * The limits on all analyses of a job together. An analysis that would exceed them is refused.
 *
 * @param groups the sum of {@code live.groups} over all queries over flows: the groups that one
 *     merging task may hold of one window of each query
 * @param memory the sum of {@code live.memory} over all queries over flows with stateful functions:
 *     the state bytes that one merging task may hold of one window of each query
 * @param slots the sum of {@code live.slots} over all tables of the queries, which each low-level
 *     task holds
 */
public record AnalysesBudget(long groups, long memory, long slots) implements Serializable {
  /** The default limits. */
  public static final AnalysesBudget DEFAULT = new AnalysesBudget(64_000_000L, 2L << 30, 1L << 22);

  /**
   * Checks analyses that are to run together.
   *
   * @throws ConfigException naming the one that does not fit and the limit
   */
  public void check(List<AnalysisConfig> analyses) {
    for (int i = 0; i < analyses.size(); i++) {
      check(analyses.subList(0, i), analyses.get(i));
    }
  }

  /**
   * Returns why a change does not fit; null if it does.
   *
   * @param running the running analyses; the change replaces the one of its name
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
