package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.it.ProjectFiles;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;

/**
 * The analyses that come along over real traffic of which it is known who scans and who beacons,
 * through both levels of the live query and the report's logic. The hosts have no past: whatever
 * reaches a threshold is a scan. {@code docs/detection.md} has the results; this test fails if its
 * tables differ, or if somebody innocent is named.
 */
class DetectionIT {
  private static final List<String> SCANS = List.of("scans", "scans_fast", "portscans");

  /** Who tried so many targets is to be found. */
  private static final int TARGETS = 4;

  private static final int MANY_TARGETS = 10;

  /** A file that comes along. */
  private static AnalysisConfig analysis(String name) {
    // Old captures were exported years later: nothing is to be late.
    return whole(name, AnalysisConfig.wholeTextOf(name));
  }

  private static AnalysisConfig whole(String name, String text) {
    return AnalysisConfig.parse(name + ".yaml", text.replace("lateness: 1s", "lateness: 36000d"));
  }

  private static Iterable<WindowPart> windows(LiveQuery live, List<FlowBatch> batches) {
    FlowWindows windows = FlowWindows.run(batches, live.query(), live.window(), 256, 8);
    LowLevelCounts counts = windows.counts();
    assertEquals(counts.selected(), counts.counted(), "no flow is late or ahead");
    return windows.windows().values();
  }

  /** The window with a history that reaches back for ever and in which no source occurs. */
  private static WindowHistory window(AnalysisConfig analysis, WindowPart part) {
    ResultTable nobody =
        FlowQueries.run(
            List.of(),
            QueryParser.parse(
                "SELECT src_addr, COUNT(*) AS targets, COUNT(bytes) AS day FROM flows"
                    + " GROUP BY src_addr"));
    long end = part.windowEnd();
    return new WindowHistory(
        new WindowResult(
            analysis.name(),
            end - analysis.live().windowMicros(),
            end,
            part.result(),
            part.totals(),
            part.groups(),
            new ArrivalCounts(0, 0, 0, 0)),
        analysis.history() == null
            ? HistoryAnswer.NONE
            : new HistoryAnswer(
                HistoryStatus.EXACT, end, 0, end, LongRanges.NONE, Optional.of(nobody), null));
  }

  /** Who has a verdict in any window. */
  private static Set<String> named(
      AnalysisConfig analysis, List<FlowBatch> batches, String verdict, String... keys) {
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    Set<String> named = new TreeSet<>();
    for (WindowPart part : windows(LiveQuery.of(analysis), batches)) {
      ResultTable rows = logic.report(window(analysis, part));
      for (int row = 0; row < rows.rowCount(); row++) {
        if (rows.text(row, rows.column("verdict")).equals(verdict)) {
          List<String> cells = new ArrayList<>();
          for (String key : keys) {
            cells.add(rows.formatted(row, rows.column(key)));
          }
          named.add(String.join(" ", cells));
        }
      }
    }
    return named;
  }

  // The same traffic in several forms has one row, where they give the same.
  private static void add(List<String> lines, String line) {
    if (!lines.contains(line)) {
      lines.add(line);
    }
  }

  private static String share(int part, int whole) {
    return whole == 0 ? "" : String.format(Locale.ROOT, "%.2f", (double) part / whole);
  }

  /** What a rule finds over all sets whose scanners are known. */
  private static final class Score {
    private final String rule;
    private final Map<Integer, int[]> found = new TreeMap<>(); // by targets: found, scanners
    private int innocents;

    Score(String rule) {
      this.rule = rule;
      found.put(TARGETS, new int[2]);
      found.put(MANY_TARGETS, new int[2]);
    }

    void add(LabelledSet set, Set<String> named) {
      found.forEach(
          (targets, counts) -> {
            Set<String> scanners = set.scanners(targets);
            counts[1] += scanners.size();
            scanners.retainAll(named);
            counts[0] += scanners.size();
          });
      innocents += set.innocents(named).size();
    }

    String line() {
      StringBuilder line = new StringBuilder("| " + rule);
      for (int[] counts : found.values()) {
        line.append(
            " | %d of %d | %s".formatted(counts[0], counts[1], share(counts[0], counts[1])));
      }
      return line + " | " + innocents + " |";
    }
  }

  /** A row of the docs' table. */
  private static String line(LabelledSet set, String analysis, Set<String> named) {
    if (set.attackers().isEmpty()) {
      return "| %s | `%s` | | %d | | | |".formatted(set.name(), analysis, named.size());
    }
    Set<String> found = set.scanners(TARGETS);
    int scanners = found.size();
    found.retainAll(named);
    return "| %s | `%s` | %d | %d | %d | %d | %s |"
        .formatted(
            set.name(),
            analysis,
            scanners,
            found.size(),
            scanners - found.size(),
            set.innocents(named).size(),
            share(found.size(), scanners));
  }

  @Test
  void theDocsSayWhatIsFoundInLabelledTrafficAndTheInnocentAreNeverNamed() throws IOException {
    List<String> lines = new ArrayList<>();
    List<String> wronged = new ArrayList<>();
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
      for (String analysis : SCANS) {
        Set<String> named = named(analysis(analysis), batches, "scan", "src_addr");
        add(lines, line(set, analysis, named));
        if (isKnown) {
          set.innocents(named).forEach(s -> wronged.add(set.name() + ", " + analysis + ": " + s));
          if (isNew) {
            scores.get(analysis).add(set, named);
          }
        }
      }
    }
    lines.forEach(System.out::println);
    List<String> sums = scores.values().stream().map(Score::line).toList();
    sums.forEach(System.out::println);
    assertEquals(List.of(), wronged, "innocent, and called a scanner");
    check("<!-- DetectionIT -->", lines);
    check("<!-- DetectionIT, rules -->", sums);
  }

  /** How many pairs a day has in the list of beacons, and where the labelled one is. */
  private static List<String> beacons(LabelledSet set, List<FlowBatch> batches) {
    String file = AnalysisConfig.wholeTextOf("beacons");
    assertTrue(file.contains("slide: 12m"));
    AnalysisConfig analysis = whole("beacons", file.replace("slide: 12m", "slide: 24h"));
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    List<String> lines = new ArrayList<>();
    for (WindowPart part : windows(LiveQuery.of(analysis), batches)) {
      ResultTable rows = logic.report(window(analysis, part));
      String labelled = "";
      for (int row = 0; row < rows.rowCount(); row++) {
        String pair =
            rows.formatted(row, rows.column("src_addr"))
                + " "
                + rows.formatted(row, rows.column("dst_addr"))
                + " "
                + rows.formatted(row, rows.column("dst_port"));
        if (set.beacon().filter(pair::equals).isPresent()) {
          labelled =
              "%d, score %s"
                  .formatted(
                      rows.longValue(row, rows.column("rank")),
                      rows.formatted(row, rows.column("score")));
        }
      }
      if (rows.rowCount() > 0) {
        String day = FlowTime.instant(part.windowEnd() - 1).toString().substring(0, 10);
        lines.add(
            "| %s | %s | %d | %d | %d | %s |"
                .formatted(set.name(), day, rows.rowCount(), beacons(rows), sure(rows), labelled));
      }
    }
    return lines;
  }

  private static int beacons(ResultTable rows) {
    int beacons = 0;
    for (int row = 0; row < rows.rowCount(); row++) {
      beacons += rows.text(row, rows.column("verdict")).equals("beacon") ? 1 : 0;
    }
    return beacons;
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
    Set<String> counted = new TreeSet<>();
    for (LabelledSet set : LabelledSet.all()) {
      if (counted.add(set.name()) && set.isOfADay()) {
        lines.addAll(beacons(set, set.flows()));
      }
    }
    lines.forEach(System.out::println);
    check("<!-- DetectionIT, beacons -->", lines);
  }

  /** The docs have the table; with {@code -Dflowmon.write-docs=true} it is written there. */
  private static void check(String mark, List<String> table) throws IOException {
    Path docs = ProjectFiles.root().resolve("docs/detection.md");
    List<String> lines = new ArrayList<>(Files.readAllLines(docs));
    int from = lines.indexOf(mark) + 3;
    assertTrue(from >= 3, "no table " + mark + " in " + docs);
    int to = from;
    while (to < lines.size() && lines.get(to).startsWith("|")) {
      to++;
    }
    if (Boolean.getBoolean("flowmon.write-docs")) {
      lines.subList(from, to).clear();
      lines.addAll(from, table);
      Files.write(docs, lines);
      return;
    }
    assertEquals(lines.subList(from, to), table, docs + ", " + mark + ", against what is found");
  }
}
