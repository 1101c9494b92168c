package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.report.ReportLogics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnalysisConfigTest {
  private static final String SMALL =
      """
      name: talkers
      live:
        query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
        window: 10s
      report:
        logic: top
      """;

  @Test
  void whatIsLeftOutHasItsDefault() {
    AnalysisConfig analysis = AnalysisConfig.parse("talkers.yaml", SMALL);
    assertEquals("talkers", analysis.name());
    assertEquals(Duration.ofSeconds(10), analysis.live().slide());
    assertEquals(WindowTime.END_TIME, analysis.live().time());
    assertEquals(0, analysis.live().latenessMicros());
    assertNull(analysis.history());
    assertEquals(List.of(), analysis.sinks());
  }

  @Test
  void elephantsComeAlong() {
    AnalysisConfig elephants = AnalysisConfig.bundled().get(0);
    assertEquals("elephants", elephants.name());
    assertEquals(10_000_000, elephants.live().windowMicros());
    assertEquals(AnalysisConfig.QUERY, elephants.report().logic());
    assertEquals("0.01", elephants.report().parameters().get("share"));
    assertEquals(List.of("kafka", "postgres"), elephants.sinks());
    assertTrue(elephants.history().query().contains(":live.src_addr"), elephants.history().query());
  }

  @Test
  void everyFileThatComesAlongIsListedAndFitsItsLogic() throws Exception {
    Path folder = Path.of(AnalysisConfig.class.getResource("/analyses").toURI());
    List<AnalysisConfig> listed = new ArrayList<>(AnalysisConfig.bundled());
    listed.addAll(AnalysisConfig.offered());
    assertEquals(
        AnalysisConfig.readFolder(folder).stream().map(AnalysisConfig::name).toList(),
        listed.stream().map(AnalysisConfig::name).sorted().toList());
    for (AnalysisConfig analysis : listed) {
      assertFalse(ReportLogics.of(analysis).open(analysis).isEmpty(), analysis.name());
    }
  }

  @Test
  void aKeyThatIsNotKnownIsAnErrorThatSaysWhere() {
    refuses(
        SMALL.replace("  window: 10s", "  window: 10s\n  slots_: 3"),
        "talkers.yaml:5: live.slots_: is not a key here; expected one of window, query, slide,"
            + " time, lateness, revisions, spread, slots, groups, memory; did you mean 'slots'?");
    refuses(SMALL + "sink: [kafka]\n", "talkers.yaml:7: sink: is not a key here");
    refuses(
        SMALL.replace("query:", "querry:"),
        "talkers.yaml:3: live.querry: is not a key here; did you mean 'query', which is missing?");
  }

  @Test
  void aValueOfTheWrongKindIsAnErrorThatSaysWhatWasExpected() {
    refuses(SMALL.replace("10s", "ten"), "talkers.yaml:4: live.window: expected a duration");
    refuses(
        SMALL.replace("10s", "10s\n  slide: 3s"),
        "live.slide: expected a duration that divides the window of 10s, found 3s");
    refuses(
        SMALL.replace("10s", "1h\n  slide: 1700ms"),
        "live.slide: expected a duration that divides the window of 1h, found 1700ms");
    refuses(
        SMALL.replace("10s", "10s\n  spread: true\n  time: arrival"),
        "live.spread: expected time: end_time, as a flow is divided");
    refuses(
        SMALL.replace("10s", "10s\n  spread: true\n  lateness: 30h"),
        "live.spread: expected window, lateness and an hour to be at most 10000 slides");
    refuses(
        SMALL.replace("10s", "1ms\n  lateness: 7d"),
        "live.lateness: expected less than 536870911 times the slide");
    refuses(
        SMALL.replace("10s", "121s\n  slide: 1s"),
        "live.slide: expected a window of at most 120 slides, as each is kept apart until the"
            + " window ends; found 121");
    assertEquals(
        Duration.ofMinutes(2),
        AnalysisConfig.parse("talkers.yaml", SMALL.replace("10s", "120s\n  slide: 1s"))
            .live()
            .window());
    refuses(SMALL.replace("10s", "10s\n  slots: 1000"), "live.slots: expected a power of two");
    refuses(
        SMALL.replace("10s", "10s\n  groups: 999"),
        "live.groups: expected a whole number 1000\u20261000000000, found '999'");
    refuses(
        SMALL.replace("10s", "10s\n  time: start_time"),
        "live.time: expected one of end_time, arrival");
    refuses(SMALL.replace("  window: 10s\n", ""), "live.window: is missing");
    refuses(SMALL.replace("talkers", "Top-Talkers"), "name: expected lower-case letters");
    refuses(SMALL + "sinks: [mail]\n", "talkers.yaml:7: sinks: expected some of [kafka, postgres]");
    refuses("- 1\n", "expected keys and values");
    refuses("name: [\n", "talkers.yaml:2:1: not YAML: expected the node content, but found");
  }

  @Test
  void aQueryThatCannotRunIsAnErrorThatSaysWhere() {
    String arguments =
        IntStream.range(0, 16).mapToObj(i -> "bytes + " + i).collect(Collectors.joining(", "));
    refuses(SMALL.replace("SUM(bytes)", "SUM(bites)"), "talkers.yaml:3:31: live.query: ");
    refuses(
        SMALL.replace(", SUM(bytes) AS bytes FROM flows GROUP BY src_addr", " FROM flows"),
        "expected aggregates");
    refuses(
        SMALL.replace("GROUP", "WHERE end_time < :now GROUP"),
        "a live query over flows has no parameters, found [now]");
    refuses(
        SMALL.replace("SUM(bytes)", "COUNT(DISTINCT " + arguments + ")"),
        "live.query: keys of GROUP BY and arguments of a COUNT(DISTINCT …) are at most 16"
            + " together");
    refuses(
        SMALL
            + "history: {query: 'SELECT COUNT(*) AS n FROM flows WHERE dst_addr IN"
            + " (:live.dst_addr)'}\n",
        "talkers.yaml:7: history.query: expected parameters out of [live.bytes, live.src_addr,"
            + " now], found :live.dst_addr");
  }

  @Test
  void anErrorOfAQueryNamesItsPlaceInTheFileHoweverItIsWritten() {
    String query = "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr";
    String[] written = {
      "'" + query + "'",
      "\"" + query + "\"",
      "|\n    SELECT src_addr,\n\n      SUM(bytes) AS bytes FROM flows\n    GROUP BY src_addr",
      ">\n    SELECT src_addr,\n    SUM(bytes) AS bytes FROM flows\n    GROUP BY src_addr",
      "SELECT src_addr,\n      SUM(bytes) AS bytes\n      FROM flows GROUP BY src_addr",
    };
    String[] places = {"3:32", "3:32", "6:11", "5:9", "4:11"};
    for (int i = 0; i < written.length; i++) {
      String text = SMALL.replace(query, written[i]);
      assertEquals("talkers", AnalysisConfig.parse("talkers.yaml", text).name(), text);
      refuses(
          text.replace("SUM(bytes)", "SUM(bites)"),
          "talkers.yaml:" + places[i] + ": live.query: no column 'bites'");
    }
    // If the file's characters differ from the query's, the place is that in the query.
    refuses(
        SMALL.replace(query, "\"" + query.replace("SUM(bytes)", "SUM(\\x62ites)") + "\""),
        "talkers.yaml:3: live.query: line 1:22: no column 'bites'");
  }

  @Test
  void anErrorAtTheEndOfAQueryNamesItsEnd() {
    refuses(SMALL.replace("GROUP BY src_addr", "GROUP BY"), "talkers.yaml:3:66: live.query: ");
    refuses(
        SMALL.replace(
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr",
            "|\n    SELECT src_addr, SUM(bytes) AS bytes\n    FROM flows GROUP BY"),
        "talkers.yaml:5:24: live.query: ");
  }

  private static void refuses(String text, String part) {
    ConfigException e =
        assertThrows(ConfigException.class, () -> AnalysisConfig.parse("talkers.yaml", text));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  void aFolderIsReadInOrderAndANameIsGivenOnce(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("b.yaml"), SMALL);
    Files.writeString(folder.resolve("a.yaml"), SMALL.replace("talkers", "pairs"));
    Files.writeString(folder.resolve("notes.txt"), "not an analysis");
    assertEquals(
        List.of("pairs", "talkers"),
        AnalysisConfig.readFolder(folder).stream().map(AnalysisConfig::name).toList());
    Files.writeString(folder.resolve("c.yaml"), SMALL);
    ConfigException e =
        assertThrows(ConfigException.class, () -> AnalysisConfig.readFolder(folder));
    assertTrue(
        e.getMessage().contains("c.yaml: name: 'talkers' is already defined in"), e.getMessage());
  }
}
