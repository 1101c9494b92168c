package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Labelled sets as an exporter gives them that sees what clients send, and nothing else. */
class OneWayIT {
  private static final String WITHOUT_UDP = "protocol <> 17 AND NOT dst_addr IN ('224.0.0.0/4'";

  private static String regression() throws IOException {
    try (InputStream file = OneWayIT.class.getResourceAsStream("regression.yaml")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<LabelledSet> sets() throws IOException {
    List<LabelledSet> sets = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (LabelledSet set : LabelledSet.all()) {
      if (set.attackers().isPresent() && names.add(set.name())) {
        sets.add(set.oneWay());
      }
    }
    return sets;
  }

  private static Set<String> named(AnalysisRun run, List<FlowBatch> flows, String protocol) {
    Set<String> named = new TreeSet<>();
    for (ResultTable rows : run.reports(flows).values()) {
      for (int row = 0; row < rows.rowCount(); row++) {
        if (rows.formatted(row, rows.column("protocol")).equals(protocol)) {
          named.add(rows.formatted(row, rows.column("src_addr")));
        }
      }
    }
    return named;
  }

  @Test
  void theDocsCompareTheRegressionWithTheRandomWalk() throws IOException {
    AnalysisRun regression = AnalysisRun.of(regression());
    Map<String, AnalysisRun> runs = new LinkedHashMap<>();
    runs.put("`scans`", AnalysisRun.withoutPast("scans"));
    runs.put(
        "`scans` without UDP",
        AnalysisRun.withoutPast("scans", "NOT dst_addr IN ('224.0.0.0/4'", WITHOUT_UDP));
    runs.put("SiLK's regression over a day, in SQL", regression);
    runs.put(
        "the same of 10 flows or more",
        AnalysisRun.of(regression().replace("flows >= 32", "flows >= 10")));
    Set<String> walked = Set.of();
    Set<String> more = new TreeSet<>(); // not named by scans
    Map<String, Score> scores = new LinkedHashMap<>();
    runs.keySet().forEach(rule -> scores.put(rule, new Score(rule)));
    String published = "SiLK, rwscan's regression";
    scores.put(published, new Score(published));
    for (LabelledSet set : sets()) {
      List<FlowBatch> batches = set.flows();
      List<PublishedRules.Flow> flows = PublishedRules.Flow.of(batches);
      assertEquals(
          PublishedRules.regressionOfADay(flows, 6),
          named(regression, batches, "6"),
          set.name() + ", TCP");
      // The substitutes for runs decide as the runs do.
      assertEquals(
          PublishedRules.regressionOfADay(flows, 17),
          named(regression, batches, "17"),
          set.name() + ", UDP");
      for (Map.Entry<String, AnalysisRun> run : runs.entrySet()) {
        Set<String> named = run.getValue().named(batches, "scan", "src_addr");
        scores.get(run.getKey()).add(set, named);
        if (run.getKey().equals("`scans`")) {
          walked = named;
        } else {
          Set<String> others = new TreeSet<>(named);
          others.removeAll(walked);
          more.addAll(others);
          others.retainAll(set.scanners(Score.TARGETS));
          assertEquals(Set.of(), others, set.name() + ", not named by scans");
        }
      }
      scores.get(published).add(set, PublishedRules.all().get(published).apply(flows));
    }
    List<String> lines = scores.values().stream().map(Score::line).toList();
    lines.forEach(System.out::println);
    assertEquals(19, more.size(), "other attackers, as the docs say: " + more);
    DetectionPage.check("<!-- DetectionIT, one way -->", lines);
  }

  @Test
  void theRegressionNamesPollersOfDeadHosts() throws IOException {
    PlantedHabits habits = new PlantedHabits();
    ResultTable rows =
        AnalysisRun.of(regression().replace("flows >= 32", "flows >= 10"))
            .report(habits.flows(), PlantedHabits.END);
    Set<String> named = AnalysisRun.named(rows, "scan", "src_addr");
    List<String> innocent = new ArrayList<>();
    List<String> scanners = new ArrayList<>();
    for (PlantedHabits.Host host : habits.hosts()) {
      if (named.contains(host.address())) {
        (host.isScanner() ? scanners : innocent).add(host.what());
      }
    }
    System.out.println(innocent + " " + scanners);
    assertEquals(4, innocent.size(), innocent.toString());
    assertEquals(2, scanners.size(), scanners.toString());
  }
}
