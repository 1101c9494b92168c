package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/**
 * The analyses that come along over real traffic of which it is known who scans and who beacons,
 * through both levels of the live query and the report's logic. The hosts have no past: whatever
 * reaches a threshold is a scan. {@code docs/detection.md} has the results; this test fails if its
 * tables differ, or if somebody innocent is named.
 */
class DetectionIT {
  private static final List<String> SCANS =
      List.of("scans", "first_contact", "scans_fast", "portscans");

  // The same traffic in several forms has one row, where they give the same.
  private static void add(List<String> lines, String line) {
    if (!lines.contains(line)) {
      lines.add(line);
    }
  }

  /** A cell of the docs' table: scanners found, or all who are named if nobody is labelled. */
  private static String cell(LabelledSet set, Set<String> named) {
    if (set.attackers().isEmpty()) {
      return named.size() + " |";
    }
    Set<String> found = set.scanners(Score.TARGETS);
    found.retainAll(named);
    return found.size() + " |";
  }

  private static String scanners(LabelledSet set) {
    return set.attackers().isEmpty() ? "" : "" + set.scanners(Score.TARGETS).size();
  }

  /** Of the flows before the window first contact knows; all others know of no past. */
  private static AnalysisRun run(String analysis, List<FlowBatch> flows) {
    return analysis.equals("first_contact")
        ? AnalysisRun.withPast(flows, analysis)
        : AnalysisRun.withoutPast(analysis);
  }

  @Test
  void theDocsSayWhatIsFoundInLabelledTrafficAndTheInnocentAreNeverNamed() throws IOException {
    List<String> lines = new ArrayList<>();
    List<String> wronged = new ArrayList<>();
    List<String> missed = new ArrayList<>(); // scanners of exported captures
    Map<String, Score> scores = new LinkedHashMap<>();
    SCANS.forEach(analysis -> scores.put(analysis, new Score("`" + analysis + "`")));
    PublishedRules.all().keySet().forEach(rule -> scores.put(rule, new Score(rule)));
    Set<String> counted = new TreeSet<>(); // the same traffic in several forms counts once
    for (LabelledSet set : LabelledSet.all()) {
      List<FlowBatch> batches = set.flows();
      assertTrue(batches.size() > 0, "no flows in " + set.name());
      boolean isKnown = set.attackers().isPresent();
      boolean isNew = counted.add(set.name());
      if (isKnown && isNew) {
        List<PublishedRules.Flow> flows = PublishedRules.Flow.of(batches);
        PublishedRules.all()
            .forEach((rule, names) -> scores.get(rule).add(set, names.apply(flows)));
      }
      StringBuilder line = new StringBuilder("| %s | %s |".formatted(set.name(), scanners(set)));
      for (String analysis : SCANS) {
        Set<String> named = run(analysis, batches).named(batches, "scan", "src_addr");
        line.append(' ').append(cell(set, named));
        if (isKnown) {
          set.innocents(named).forEach(s -> wronged.add(set.name() + ", " + analysis + ": " + s));
          if (isNew) {
            scores.get(analysis).add(set, named);
          }
          if (set.isExported() && !named.containsAll(set.scanners(Score.TARGETS))) {
            missed.add(set + ", " + analysis);
          }
        }
      }
      add(lines, line.toString());
    }
    lines.forEach(System.out::println);
    List<String> sums = scores.values().stream().map(Score::line).toList();
    sums.forEach(System.out::println);
    assertEquals(List.of(), wronged, "innocent, and called a scanner");
    assertEquals(List.of(), missed, "scans of a thousand ports, and not found in a form");
    for (String analysis : List.of("scans", "first_contact")) {
      assertTrue(scores.get(analysis).leastRecall() >= 0.97, scores.get(analysis).line());
    }
    DetectionPage.check("<!-- DetectionIT -->", lines);
    DetectionPage.check("<!-- DetectionIT, rules -->", sums);
  }

  /** How many pairs a day has in the list of beacons, and where the labelled one is. */
  private static List<String> beacons(LabelledSet set, List<FlowBatch> batches, List<Long> ranks) {
    AnalysisRun run = AnalysisRun.withoutPast("beacons", "slide: 12m", "slide: 24h");
    List<String> lines = new ArrayList<>();
    run.reports(batches)
        .forEach(
            (end, rows) -> {
              String labelled = "";
              int sure = 0;
              for (int row = 0; row < rows.rowCount(); row++) {
                sure += rows.text(row, rows.column("verdict")).equals("beacon") ? 1 : 0;
                if (set.beacon().filter(pair(rows, row)::equals).isPresent()) {
                  long rank = rows.longValue(row, rows.column("rank"));
                  String score = rows.formatted(row, rows.column("score"));
                  labelled = "%d, score %s".formatted(rank, score);
                  ranks.add(rank);
                }
              }
              if (rows.rowCount() > 0) {
                String day = FlowTime.instant(end - 1).toString().substring(0, 10);
                lines.add(
                    "| %s | %s | %d | %d | %d | %s |"
                        .formatted(set.name(), day, rows.rowCount(), sure, sure(rows), labelled));
              }
            });
    return lines;
  }

  private static String pair(ResultTable rows, int row) {
    return rows.formatted(row, rows.column("src_addr"))
        + " "
        + rows.formatted(row, rows.column("dst_addr"))
        + " "
        + rows.formatted(row, rows.column("dst_port"));
  }

  private static int sure(ResultTable rows) {
    int sure = 0;
    for (int row = 0; row < rows.rowCount(); row++) {
      sure += rows.doubleValue(row, rows.column("score")) >= 0.9 ? 1 : 0;
    }
    return sure;
  }

  @Test
  void theLabelledBeaconIsAmongTheFirstTenOfItsDay() throws IOException {
    List<String> lines = new ArrayList<>();
    List<Long> ranks = new ArrayList<>();
    Set<String> counted = new TreeSet<>();
    for (LabelledSet set : LabelledSet.all()) {
      if (counted.add(set.name()) && set.isOfADay()) {
        lines.addAll(beacons(set, set.flows(), ranks));
      }
    }
    lines.forEach(System.out::println);
    assertEquals(2, ranks.size(), "days on which the labelled one calls, and is in the list");
    assertTrue(ranks.stream().allMatch(rank -> rank <= 10), "ranks " + ranks);
    DetectionPage.check("<!-- DetectionIT, beacons -->", lines);
  }
}
