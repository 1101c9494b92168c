package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class ExtendedFileTest {
  private static final String TALKERS =
      """
      name: talkers
      variables:
        key: src_addr
        top: 5
      live:
        query: |
          SELECT ${key}, SUM(bytes) AS bytes FROM flows
          GROUP BY ${key} ORDER BY bytes DESC LIMIT ${top}
        window: 10s
        groups: 5000
      history:
        query: |
          SELECT ${key}, SUM(bytes) AS bytes FROM flows
          WHERE end_time < :now - ${window} GROUP BY ${key}
        timeout: 9s
      report:
        logic: live
        condition: bytes > ${top}
      sinks: [kafka, postgres]
      """;

  @TempDir private Path folder;

  private Path file(String name, String text) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static void refuses(Path file, String message) {
    ConfigException e = assertThrows(ConfigException.class, () -> AnalysisConfig.read(file));
    assertEquals(message, e.getMessage());
  }

  @Test
  void keysAreMergedAndOtherValuesReplaced() throws Exception {
    file("talkers.yaml", TALKERS);
    AnalysisConfig analysis =
        AnalysisConfig.read(
            file(
                "listeners.yaml",
                """
                name: listeners
                extends: talkers.yaml
                variables: {key: dst_addr}
                live: {window: 1m, groups: null, lateness: 1s}
                history: {timeout: 3s}
                sinks: [kafka]
                """));
    assertEquals("listeners", analysis.name());
    assertEquals(
        "SELECT dst_addr, SUM(bytes) AS bytes FROM flows\n"
            + "GROUP BY dst_addr ORDER BY bytes DESC LIMIT 5\n",
        analysis.live().query());
    assertEquals(Duration.ofMinutes(1), analysis.live().window());
    assertEquals(AnalysisConfig.Live.DEFAULT_GROUPS, analysis.live().groups());
    assertEquals(1_000_000, analysis.live().latenessMicros());
    assertEquals(
        "SELECT dst_addr, SUM(bytes) AS bytes FROM flows\n"
            + "WHERE end_time < :now - INTERVAL '1' MINUTE GROUP BY dst_addr\n",
        analysis.history().query());
    assertEquals(Duration.ofSeconds(3), analysis.history().timeout());
    assertEquals("bytes > 5", analysis.report().condition().text());
    assertEquals(List.of("kafka"), analysis.sinks());
  }

  @Test
  void nullRemovesAKeyWithAllBelowIt() throws Exception {
    file("bases/talkers.yaml", TALKERS);
    AnalysisConfig analysis =
        AnalysisConfig.read(
            file("now.yaml", "name: now\nextends: bases/talkers.yaml\nhistory: null\n"));
    assertNull(analysis.history());
    assertEquals(List.of("now"), names(AnalysisConfig.readFolder(folder)));
  }

  private static List<String> names(List<AnalysisConfig> analyses) {
    return analyses.stream().map(AnalysisConfig::name).toList();
  }

  @Test
  void aBundledAnalysisIsExtendedByItsName() throws Exception {
    AnalysisConfig bundled =
        AnalysisConfig.offered().stream()
            .filter(one -> one.name().equals("scans"))
            .findFirst()
            .orElseThrow();
    AnalysisConfig own =
        AnalysisConfig.read(
            file("scans.yaml", "name: scans\nextends: scans\nlive: {window: 1h, slide: 1m}\n"));
    assertEquals(Duration.ofHours(1), own.live().window());
    assertEquals(bundled.live().query(), own.live().query());
    assertEquals(bundled.history(), own.history());
    assertEquals(bundled.report(), own.report());
  }

  @Test
  void theWholeTextMeansTheSameWithoutItsBases() throws Exception {
    for (String name : AnalysisConfig.names()) {
      String whole = AnalysisConfig.wholeTextOf(name);
      assertTrue(!whole.contains("extends:"), whole);
      AnalysisConfig expected = AnalysisConfig.parse("x.yaml", AnalysisConfig.textOf(name));
      assertEquals(expected, AnalysisConfig.parse("x.yaml", whole), whole);
    }
    file("talkers.yaml", TALKERS);
    Path own = file("own.yaml", "name: own\nextends: talkers.yaml\nvariables: {top: 7}\n");
    String whole = AnalysisConfig.wholeTextOf(own);
    assertEquals(AnalysisConfig.read(own), AnalysisConfig.parse("x.yaml", whole), whole);
    Path alone = folder.resolve("talkers.yaml");
    assertEquals(TALKERS, AnalysisConfig.wholeTextOf(alone), "comments stay");
  }

  @Test
  void aCircleIsRefusedWithItsPlace() throws Exception {
    Path a = file("a.yaml", "name: a\nextends: b.yaml\n");
    Path b = file("b.yaml", "name: b\n\nextends: ./a.yaml\n");
    refuses(a, b + ":3: extends: expected no circle, found " + a + " → " + b + " → " + a);
    Path self = file("self.yaml", "extends: self.yaml\n");
    refuses(self, self + ":1: extends: expected no circle, found " + self + " → " + self);
    for (int i = 0; i < 11; i++) {
      file("long" + i + ".yaml", "name: a\nextends: long" + (i + 1) + ".yaml\n");
    }
    refuses(
        file("long11.yaml", TALKERS).resolveSibling("long0.yaml"),
        folder.resolve("long9.yaml")
            + ":2: extends: expected at most 10 files, each of which extends the next");
  }

  @Test
  void whatIsExtendedAndIsNotThereIsRefusedWithItsPlace() throws Exception {
    Path file = file("a.yaml", "name: a\nextends: b.yaml\n");
    refuses(file, file + ":2: extends: expected a file, found none at " + folder.resolve("b.yaml"));
    Path misspelt = file("a.yaml", "name: a\nextends: scan\n");
    ConfigException e = assertThrows(ConfigException.class, () -> AnalysisConfig.read(misspelt));
    assertTrue(
        e.getMessage()
            .startsWith(
                misspelt
                    + ":2: extends: expected a file such as other.yaml or one of the analyses that"
                    + " come with flowmon, [elephants, "),
        e.getMessage());
    assertTrue(e.getMessage().endsWith("found 'scan'; did you mean 'scans'?"), e.getMessage());
  }

  @Test
  void aTextWithoutAFolderReadsNoFile() throws Exception {
    Path talkers = file("talkers.yaml", TALKERS);
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> AnalysisConfig.parse("analysis a", "name: a\nextends: " + talkers + "\n"));
    assertEquals(
        "analysis a:2: extends: expected an analysis that comes with flowmon, as this text is in"
            + " no folder; found '"
            + talkers
            + "'",
        e.getMessage());
    assertEquals("a", AnalysisConfig.parse("analysis a", "name: a\nextends: mice\n").name());
  }

  @Test
  void theNameIsNeverThatOfAnother() throws Exception {
    Path file = file("a.yaml", "extends: mice\n");
    refuses(
        file, file + ":1: name: is missing; expected a name of lower-case letters, digits and _");
  }

  @Test
  void anErrorNamesTheFileThatHasTheValue() throws Exception {
    Path base = file("base.yaml", TALKERS.replace("window: 10s", "window: soon"));
    Path own = file("own.yaml", "name: own\nextends: base.yaml\nsinks: [kafka]\n");
    refuses(
        own,
        own
            + ": "
            + base
            + ":9: live.window: expected a duration such as 500ms, 10s, 5m, 1h or 7d, found"
            + " 'soon'");
    file("base.yaml", TALKERS);
    file("own.yaml", "name: own\nextends: base.yaml\nvariables:\n  key: source\n");
    // In the text of the variable.
    ConfigException e = assertThrows(ConfigException.class, () -> AnalysisConfig.read(own));
    assertTrue(
        e.getMessage().startsWith(own + ":4:8: live.query: no column 'source'"), e.getMessage());
    // After two variables.
    file("base.yaml", TALKERS.replace("ORDER BY bytes", "ORDER BY bites"));
    file("own.yaml", "name: own\nextends: base.yaml\nvariables: {key: dst_addr}\n");
    e = assertThrows(ConfigException.class, () -> AnalysisConfig.read(own));
    assertTrue(
        e.getMessage().startsWith(own + ": " + base + ":8:30: live.query: no column 'bites'"),
        e.getMessage());
    // Of what has no file: the length of the window.
    String text = TALKERS.replace("end_time < :now - ${window}", "bytes IN ${window}");
    e = assertThrows(ConfigException.class, () -> AnalysisConfig.parse("t.yaml", text));
    assertTrue(e.getMessage().startsWith("t.yaml:14:20: history.query: "), e.getMessage());
  }

  @Test
  void aVariableThatIsNotKnownOrNotUsedIsRefused() {
    refuses(
        TALKERS.replace("LIMIT ${top}", "LIMIT ${topp}"),
        "t.yaml:6: live.query: expected one of the variables [key, own_networks, slide, top,"
            + " window], found ${topp}; did you mean 'top'?");
    refuses(
        TALKERS.replace("  top: 5", "  top: 5\n  topp: 6"),
        "t.yaml:5: variables.topp: no value reads ${topp}; did you mean 'top'?");
    refuses(
        TALKERS.replace("  top: 5", "  top: 5\n  slide: 6"),
        "t.yaml:5: variables.slide: expected another name: ${slide} always has a value");
    refuses(
        TALKERS.replace("top: 5", "top: [5]"), "t.yaml:4: variables.top: expected a plain value");
    refuses(
        TALKERS.replace("top: 5", "top: ${key}"),
        "t.yaml:4: variables.top: expected a text without further variables");
    refuses(
        "name: a\nvariables: 3\n",
        "t.yaml:2: variables: expected names and values, such as threshold: 4");
    refuses(
        "name: a\nvariables: {a: %s}\nb: %s\n".formatted("x".repeat(1000), "${a}".repeat(2000)),
        "t.yaml:3: b: expected variables of at most 1048576 characters in all places");
  }

  private static void refuses(String text, String message) {
    ConfigException e =
        assertThrows(ConfigException.class, () -> AnalysisConfig.parse("t.yaml", text));
    assertEquals(message, e.getMessage());
  }

  @Test
  void aBasesVariableThatItsReplacedQueryReadIsNoError() throws Exception {
    file("talkers.yaml", TALKERS);
    Path own =
        file(
            "own.yaml",
            """
            name: own
            extends: talkers.yaml
            live: {query: SELECT COUNT(*) AS bytes FROM flows}
            history: null
            """);
    AnalysisConfig analysis = AnalysisConfig.read(own);
    assertEquals("own", analysis.name());
    // Of key and top, the condition reads top alone.
    String whole = AnalysisConfig.wholeTextOf(own);
    assertEquals(analysis, AnalysisConfig.parse("x.yaml", whole), whole);
    file(
        "own.yaml",
        """
        name: own
        extends: talkers.yaml
        live: {query: SELECT COUNT(*) AS bytes FROM flows}
        history: null
        report: {condition: null}
        """);
    String none = AnalysisConfig.wholeTextOf(own);
    assertEquals(AnalysisConfig.read(own), AnalysisConfig.parse("x.yaml", none), none);
  }

  @Test
  void aFilesOwnVariableThatNothingReadsStaysAnErrorInTheWholeText() throws Exception {
    file("talkers.yaml", TALKERS);
    Path own = file("own.yaml", "name: own\nextends: talkers.yaml\nvariables: {topp: 7}\n");
    String message = "variables.topp: no value reads ${topp}; did you mean 'top'?";
    refuses(own, own + ":3: " + message);
    String whole = AnalysisConfig.wholeTextOf(own);
    ConfigException e =
        assertThrows(ConfigException.class, () -> AnalysisConfig.parse("x.yaml", whole));
    assertTrue(e.getMessage().endsWith(message), e.getMessage());
  }

  @Test
  void theWindowAndTheSlideMayBeVariables() {
    String widths = TALKERS.replace("  top: 5", "  top: 5\n  width: 1m\n  step: 20s");
    String live = "window: ${width}\n  slide: ${step}";
    AnalysisConfig windows = AnalysisConfig.parse("t.yaml", widths.replace("window: 10s", live));
    assertEquals(Duration.ofMinutes(1), windows.live().window());
    assertEquals(Duration.ofSeconds(20), windows.live().slide());
    String query = windows.history().query();
    assertTrue(query.contains(":now - INTERVAL '1' MINUTE GROUP"), query);
    String slides =
        widths.replace("window: 10s", live).replace(":now - ${window}", ":now - ${slide}");
    query = AnalysisConfig.parse("t.yaml", slides).history().query();
    assertTrue(query.contains(":now - INTERVAL '20' SECOND GROUP"), query);
  }

  @Test
  void aWindowByAVariableThatIsWrongIsRefusedWithItsPlace() {
    String width =
        TALKERS
            .replace("  top: 5", "  top: 5\n  width: soon")
            .replace("window: 10s", "window: ${width}");
    refuses(
        width,
        "t.yaml:10: live.window: expected a duration such as 500ms, 10s, 5m, 1h or 7d, found"
            + " 'soon'");
    refuses(
        width.replace("window: ${width}", "window: 10s\n  slide: ${width}"),
        "t.yaml:11: live.slide: expected a duration such as 500ms, 10s, 5m, 1h or 7d, found"
            + " 'soon'");
    refuses(
        width.replace("window: ${width}", "window: ${with}"),
        "t.yaml:10: live.window: expected one of the variables [key, own_networks, top, width],"
            + " found ${with}; did you mean 'width'?");
    refuses(
        width.replace("window: ${width}", "window: ${slide}"),
        "t.yaml:10: live.window: expected one of the variables [key, own_networks, top, width],"
            + " found ${slide}");
  }

  /** Against the pseudo-code of RFC 7396, section 2, over plain maps. */
  @Test
  void filesAreMergedAsJsonMergePatchSays() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Map<String, Object> base = tree(random, 3);
      Map<String, Object> patch = tree(random, 3);
      String merged =
          YamlFile.parseDocument("patch", yaml(patch, 0))
              .over(YamlFile.parseDocument("base", yaml(base, 0)))
              .toText();
      assertEquals(
          patched(base, patch),
          new Load(LoadSettings.builder().build()).loadFromString(merged),
          "seed " + seed + "\n" + yaml(base, 0) + "over it\n" + yaml(patch, 0));
    }
  }

  private static Object patched(Object target, Object patch) {
    if (!(patch instanceof Map<?, ?> keys)) {
      return patch;
    }
    Map<Object, Object> result =
        target instanceof Map<?, ?> map ? new LinkedHashMap<>(map) : new LinkedHashMap<>();
    keys.forEach(
        (key, value) -> {
          if (value == null) {
            result.remove(key);
          } else {
            result.put(key, patched(result.get(key), value));
          }
        });
    return result;
  }

  /** No null in the base: there it means that a key is absent. */
  private static Map<String, Object> tree(Random random, int depth) {
    Map<String, Object> tree = new LinkedHashMap<>();
    int keys = 1 + random.nextInt(4);
    for (int i = 0; i < keys; i++) {
      tree.put(
          "k" + random.nextInt(5),
          switch (random.nextInt(depth == 0 ? 3 : 6)) {
            case 0 -> "word" + random.nextInt(9);
            case 1 -> List.of("a", "b" + random.nextInt(9));
            case 2 -> random.nextInt(100);
            case 3 -> null;
            default -> tree(random, depth - 1);
          });
    }
    return tree;
  }

  private static String yaml(Map<?, ?> tree, int indent) {
    return tree.entrySet().stream()
        .map(
            entry -> {
              String key = " ".repeat(indent) + entry.getKey() + ":";
              return entry.getValue() instanceof Map<?, ?> below
                  ? key + "\n" + yaml(below, indent + 2)
                  : key + " " + entry.getValue() + "\n";
            })
        .collect(Collectors.joining());
  }
}
