package org.flowmon.jobs.report.logic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.window.PublishedGroups;
import org.junit.jupiter.api.Test;

/** The analyses that can publish their states. */
class StatesLogicTest {
  private static final String BEGIN = "```yaml\n";
  private static final String QUERY =
      "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr";

  private static AnalysisConfig analysis(String query, String live, String more) {
    return AnalysisConfig.parse(
        "s.yaml",
        """
        name: s
        live: {query: "%s", window: 10s%s}
        report: {logic: states}
        %s
        """
            .formatted(query, live, more));
  }

  private static String refused(String query, String live, String more) {
    AnalysisConfig analysis = analysis(query, live, more);
    String message =
        assertThrows(ConfigException.class, () -> JobAnalyses.check(List.of(analysis)))
            .getMessage();
    assertTrue(message.startsWith("s.yaml:"), message);
    return message;
  }

  @Test
  void whatCutsGroupsOrCannotBeMergedIsRefusedAndTheErrorSaysWhereAndWhy() {
    JobAnalyses.check(List.of(analysis(QUERY, ", lateness: 1s", "")));
    assertTrue(
        refused(QUERY + " LIMIT 5", "", "").contains("s.yaml:2: live.query: a site publishes all"));
    assertTrue(
        refused(QUERY + " HAVING b > 1", "", "")
            .contains("live.query: a site publishes all groups"));
    assertTrue(
        refused(QUERY.replace("SUM(bytes)", "COUNT(DISTINCT dst_addr)"), "", "")
            .contains("add its arguments to GROUP BY"));
    assertTrue(
        refused(QUERY, ", slide: 5s", "")
            .contains("s.yaml:2: live.slide: expected none: states are"));
    assertTrue(refused(QUERY, "", "sinks: [kafka]").contains("s.yaml:4: sinks: states give no"));
    assertTrue(
        refused(QUERY, "", "history: {query: '" + QUERY + "'}")
            .contains("s.yaml:4: history: states have no history"));
    assertTrue(
        refused(
                "SELECT a.src_addr FROM ("
                    + QUERY
                    + ") AS a JOIN ("
                    + QUERY
                    + ") AS c ON a.src_addr = c.src_addr",
                "",
                "")
            .contains("live.query: logic states wants flows"));
  }

  @Test
  void resultsOfAnAnalysisThatPublishesAreNotRevised() {
    AnalysisConfig states = analysis(QUERY, ", lateness: 1s, revisions: true", "");
    assertTrue(states.publishesStates());
    assertFalse(LiveQuery.of(states).window().revised());
  }

  @Test
  void aJobWithoutANameOfItsSitePublishesNothing() {
    JobConfig job = JobConfig.parse("f.yaml", "kafka: {bootstrap: b}\njob: {role: analyses}\n");
    AnalysisConfig states = analysis(QUERY, "", "");
    assertEquals(
        "s.yaml:3: report.logic: states are published in the name of a site: expected site.name in"
            + " the job's configuration",
        assertThrows(ConfigException.class, () -> JobAnalyses.check(states, job)).getMessage());
    JobConfig site =
        JobConfig.parse(
            "f.yaml", "kafka: {bootstrap: b}\nsite: {name: berlin}\njob: {role: analyses}\n");
    JobAnalyses.check(states, site);
  }

  @Test
  void aJobThatMergesSitesHasNoHistory() {
    JobConfig job =
        JobConfig.parse(
            "f.yaml", "kafka: {bootstrap: b}\nmerge: {sites: [berlin]}\njob: {role: analyses}\n");
    AnalysisConfig elephants = AnalysisConfig.bundled().get(0);
    assertTrue(
        assertThrows(ConfigException.class, () -> JobAnalyses.check(elephants, job))
            .getMessage()
            .contains("history: a job that merges the states of sites has no archive"));
  }

  /** The page's files are valid, and the one is answered from the other. */
  @Test
  void theExamplesOfThePageFitEachOther() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/sites.md"))) {
      root = root.getParent();
    }
    List<String> files = new ArrayList<>();
    String page = Files.readString(root.resolve("docs/sites.md"));
    files.add(page);
    for (int at = page.indexOf(BEGIN); at >= 0; at = page.indexOf(BEGIN, at + 1)) {
      files.add(page.substring(at + BEGIN.length(), page.indexOf("```", at + BEGIN.length())));
    }
    AnalysisConfig states = AnalysisConfig.parse("talkers_states.yaml", files.get(1));
    JobConfig site = JobConfig.parse("site.yaml", files.get(2));
    JobConfig centre = JobConfig.parse("centre.yaml", files.get(3));
    AnalysisConfig talkers = AnalysisConfig.parse("talkers.yaml", files.get(4));
    JobAnalyses.check(List.of(states, talkers));
    JobAnalyses.check(states, site);
    JobAnalyses.check(talkers, centre);
    assertTrue(centre.merge().sites().contains(site.site().name()));
    assertEquals(centre.merge().topic(), site.site().topic());
    assertEquals(centre.kafka().bootstrap(), site.site().bootstrap());
    assertEquals(
        List.of(0),
        PublishedGroups.groupings(
            QueryParser.parse(states.live().query()), QueryParser.parse(talkers.live().query())));
    assertEquals(0, talkers.live().slideMicros() % states.live().windowMicros());
    assertTrue(talkers.live().latenessMicros() >= states.live().latenessMicros());
    assertEquals(5, files.size(), "the page and its blocks of YAML");
    // On one machine: the same analyses, by jobs that share a broker.
    Path examples = root.resolve("docs/examples/sites");
    JobConfig berlin =
        JobConfig.parse("berlin.yaml", Files.readString(examples.resolve("berlin.yaml")));
    JobConfig local =
        JobConfig.parse("centre.yaml", Files.readString(examples.resolve("centre.yaml")));
    JobAnalyses.check(states, berlin);
    JobAnalyses.check(talkers, local);
    assertTrue(local.merge().sites().contains(berlin.site().name()));
    assertEquals(local.merge().topic(), berlin.site().topic());
    assertEquals(local.kafka().bootstrap(), berlin.site().bootstrap());
    assertNotEquals(local.kafka().group(), berlin.kafka().group());
    for (JobConfig job : List.of(berlin, local)) {
      assertNull(job.kafka().analysesTopic());
    }
  }
}
