package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.junit.jupiter.api.Test;

class AnalysesBudgetTest {
  private static String text(String name, int groups, int slots, String aggregates) {
    return """
    name: %s
    live:
      query: SELECT src_addr, %s FROM flows GROUP BY src_addr
      window: 10s
      groups: %d
      slots: %d
    report:
      logic: live
    """
        .formatted(name, aggregates, groups, slots);
  }

  private static AnalysisConfig analysis(String name, int groups, int slots) {
    return AnalysisConfig.parse(name + ".yaml", text(name, groups, slots, "COUNT(*) AS n"));
  }

  @Test
  void whatFitsToTheLastGroupAndSlotRunsAndOneMoreIsRefused() {
    List<AnalysisConfig> analyses = List.of(analysis("a", 4000, 64), analysis("b", 6000, 32));
    new AnalysesBudget(10_000, 2L << 30, 96).check(analyses);
    ConfigException groups =
        assertThrows(
            ConfigException.class, () -> new AnalysesBudget(9_999, 2L << 30, 96).check(analyses));
    assertEquals(
        "b.yaml:5: live.groups: does not fit: the job's analyses may have 9999 groups together"
            + " (job.groups), the others have 4000, and this one would have 6000",
        groups.getMessage());
    ConfigException slots =
        assertThrows(
            ConfigException.class, () -> new AnalysesBudget(10_000, 2L << 30, 95).check(analyses));
    assertEquals(
        "b.yaml:6: live.slots: does not fit: the job's analyses may have 95 slots together"
            + " (job.slots), the others have 64, and this one would have 32",
        slots.getMessage());
  }

  @Test
  void memoryIsOfQueriesWithFunctionsThatKeepStates() {
    String states = "QUANTILE(QUANTILES(bytes), 0.5) AS m";
    List<AnalysisConfig> analyses =
        List.of(
            analysis("a", 1000, 16),
            AnalysisConfig.parse(
                "b.yaml",
                text("b", 1000, 16, states).replace("slots: 16", "slots: 16\n  memory: 3000000")),
            AnalysisConfig.parse("c.yaml", text("c", 1000, 16, states)));
    assertEquals(3_000_000, analyses.get(1).live().memory());
    long memory = 3_000_000 + AnalysisConfig.Live.DEFAULT_MEMORY;
    new AnalysesBudget(10_000, memory, 96).check(analyses);
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> new AnalysesBudget(10_000, memory - 1, 96).check(analyses));
    assertEquals(
        "c.yaml: live.memory: does not fit: the job's analyses may have 271435455 bytes of states"
            + " together (job.memory), the others have 3000000, and this one would have 268435456",
        e.getMessage().replaceFirst("c.yaml:\\d+:", "c.yaml:"));
  }

  @Test
  void aQueryHasSlotsForEachOfItsTables() {
    String distinct = "COUNT(DISTINCT dst_addr) AS d, COUNT(DISTINCT dst_port) AS p";
    AnalysisConfig two = AnalysisConfig.parse("two.yaml", text("two", 1000, 64, distinct));
    new AnalysesBudget(1000, 2L << 30, 128).check(List.of(two));
    assertThrows(
        ConfigException.class, () -> new AnalysesBudget(1000, 2L << 30, 127).check(List.of(two)));
  }

  @Test
  void aChangeTakesThePlaceOfWhatHasItsNameAndARemovalAlwaysFits() {
    AnalysesBudget budget = new AnalysesBudget(10_000, 2L << 30, 1000);
    AnalysisSet set = new AnalysisSet(List.of(analysis("a", 4000, 64), analysis("b", 6000, 64)));
    assertEquals(
        Optional.empty(),
        budget.refusal(set, new AnalysisChange("a", 1, text("a", 4000, 128, "COUNT(*)"))));
    assertEquals(
        Optional.of(
            "analysis a:5: live.groups: does not fit: the job's analyses may have 10000 groups"
                + " together (job.groups), the others have 6000, and this one would have 4001"),
        budget.refusal(set, new AnalysisChange("a", 1, text("a", 4001, 64, "COUNT(*)"))));
    assertEquals(Optional.empty(), budget.refusal(set, new AnalysisChange("b", 1, null)));
  }

  @Test
  void theJobsConfigurationSaysHowMuchThereIs() {
    String kafka = "kafka: {bootstrap: b}\narchive: {directory: /a}\n";
    assertEquals(AnalysesBudget.DEFAULT, JobConfig.parse("f.yaml", kafka).job().budget());
    assertEquals(
        new AnalysesBudget(5_000_000_000L, 4_000_000, 1000),
        JobConfig.parse(
                "f.yaml", kafka + "job: {groups: 5000000000, memory: 4000000, slots: 1000}\n")
            .job()
            .budget());
  }
}
