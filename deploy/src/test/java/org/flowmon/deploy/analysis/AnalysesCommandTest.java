package org.flowmon.deploy.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;

class AnalysesCommandTest extends AnalysesCommandFixture {
  @Test
  void theFilesThatComeAlongAreShownAndRight() throws Exception {
    Ran list = run("analyses", "list");
    assertEquals(0, list.code());
    List<String> names =
        Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
            .map(AnalysisConfig::name)
            .toList();
    assertTrue(names.containsAll(List.of("elephants", "portscans", "beacons")), names.toString());
    for (String name : names) {
      assertTrue(list.out().contains("\n" + name + " "), list.out());
      Ran shown = run("analyses", "show", name);
      assertEquals(0, shown.code());
      Files.writeString(folder.resolve(name + ".yaml"), shown.out());
    }
    Ran checked = run("analyses", "check", folder.toString());
    assertEquals(0, checked.code(), checked.out());
    assertEquals(names.size(), checked.out().lines().count(), checked.out());
    Ran ofFolder = run("analyses", "list", folder.toString());
    assertEquals(1 + names.size(), ofFolder.out().lines().count(), ofFolder.out());
    assertTrue(ofFolder.out().contains("dispersion           10m      1m"), ofFolder.out());
  }

  @Test
  void anArchiveSaysHowManyFlowsBecomeAGroupAndWhatWindowIsLongEnough() throws Exception {
    String place = archive().toString();
    Ran list = run("analyses", "list", "--archive", place);
    assertEquals(0, list.code(), list.out());
    List<String> lines =
        list.out().lines().map(line -> line.strip().replaceAll(" +", " ")).toList();
    // The first 30 s count: two sources in windows of 10 s are 6 groups, in those of 3 s 20.
    assertTrue(lines.contains("elephants 10s 300 6 50.0 3s"), list.out());
    // Every flow has its own pair.
    assertTrue(lines.contains("mice 10s 600 600 1.0 none up to 1h, which has 1.0"), list.out());
    // Both sources are in one prefix; groups are counted in slides of a minute.
    assertTrue(lines.contains("dispersion 1m 300 1 300.0 1s"), list.out());
    Ran shorter =
        run("analyses", "list", "--archive", place, "--sample", "5s", "--reduction", "60");
    // The last five seconds are outgoing, and windows of 10 s are longer.
    assertTrue(
        shorter.out().replaceAll(" +", " ").contains("mice 10s - - - none up to 3s, which has 1.0"),
        shorter.out());
    assertEquals(2, run("analyses", "list", "--archive", place, "--sample", "1ms").code());
    assertEquals(
        3, run("analyses", "list", "--archive", folder.resolve("nowhere").toString()).code());
  }

  @Test
  void everyWrongFileIsSaidWithItsPlace() throws Exception {
    String right = run("analyses", "show", "elephants").out();
    Files.writeString(folder.resolve("a.yaml"), right);
    Files.writeString(folder.resolve("b.yaml"), right);
    Files.writeString(folder.resolve("c.yaml"), right.replace("SUM(estimated_bytes)", "SUM(byte)"));
    Files.writeString(folder.resolve("d.yaml"), right.replace("factor: 3", "factr: 3"));
    Ran ran = run("analyses", "check", folder.toString());
    assertEquals(1, ran.code());
    String[] lines = ran.out().split("\n", -1);
    assertTrue(lines[0].endsWith("a.yaml: elephants is right"), lines[0]);
    assertTrue(lines[1].contains("b.yaml: name: 'elephants' is already defined in"), lines[1]);
    assertTrue(ran.out().contains("c.yaml"), ran.out());
    assertTrue(ran.out().contains("'byte'"), ran.out());
    assertTrue(
        ran.out()
            .contains(
                "d.yaml:28: report.query: line 6:31: no parameter :factor: did you mean :factr?"),
        ran.out());
  }

  @Test
  void allThatIsWrongInAFileIsSaid() throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(
        file,
        """
        name: wrong
        live:
          query: SELECT src_addr, SUM(byte) AS bytes FROM flows GROUP BY src_addr
          window: 10s
          slide: 3s
        history:
          query: SELECT src_addr FROM flow
        report: {logic: live, logc: x}
        sinks: [kafka, mail, postgres, pager]
        alerts:
          - {name: a, when: bytes > 1, for: soon}
          - {name: b}
        slots: 5
        """);
    String[] expected = {
      ":3:31: live.query: no column 'byte'",
      ":5: live.slide: expected a duration that divides the window of 10s, found 3s",
      ":7:31: history.query: ",
      ":8: report.logc: is not a key here",
      ":9: sinks: expected some of [kafka, postgres], found 'mail'",
      ":9: sinks: expected some of [kafka, postgres], found 'pager'",
      ":11: alerts[1].for: expected a duration",
      ":12: alerts[2].when: is missing",
      ":13: slots: is not a key here",
    };
    assertSaid(file, expected);
    // Files that are right except for conditions; the first error does not hide the others.
    Files.writeString(
        file,
        """
        name: wrong
        live: {query: 'SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr', window: 10s}
        report: {logic: live, condition: byte > 1}
        sinks: [none]
        alerts:
          - {name: a, when: bytes > 1, key: [dst_addr]}
          - {name: b, when: bytes > 1}
          - {name: c, when: bits > 1}
        """);
    assertSaid(
        file,
        ":4: sinks: expected some of [kafka, postgres], found 'none'",
        ":3: report.condition: ",
        ": analysis wrong: alert a: key: expected columns out of src_addr, bytes",
        ":8: alerts[3].when: ");
  }

  @Test
  void aValueThatIsWrongHidesNothingThatDoesNotHangOnIt() throws Exception {
    Path file = folder.resolve("wrong.yaml");
    Files.writeString(
        file,
        """
        name: wrong
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
          window: 10s
          slide: 3s
          revisions: perhaps
          slots: 17
          slotz: 5
          group: 9
        history:
          query: SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr
          delay: soon
          timeout: 1h
        report: {logic: live, condition: byte > 1}
        alerts:
          - {name: a, when: bits > 1}
          - {name: b, whenn: bytes > 1, for: soon, severity: loud}
          - {name: a, whenn: bytes > 1}
        """);
    assertSaid(
        file,
        ":6: live.revisions: expected true or false",
        ":7: live.slots: expected a power of two",
        ":8: live.slotz: is not a key here",
        ":9: live.group: is not a key here",
        ":5: live.slide: expected a duration that divides",
        ":12: history.delay: expected a duration",
        ":13: history.timeout: expected at most 10m",
        ":17: alerts[2].for: expected a duration",
        ":17: alerts[2].severity: expected one of",
        ":17: alerts[2].whenn: is not a key here",
        ":18: alerts[3].name: 'a' is the name of another alert here",
        ":18: alerts[3].whenn: is not a key here; did you mean 'when', which is missing?",
        ":14: report.condition: ",
        ":16: alerts[1].when: ");
    String beacons = run("analyses", "show", "beacons").out().replace("slide: 12m", "slide: 7m");
    Files.writeString(file, beacons);
    assertSaid(file, ":" + line(file, "slide:") + ": live.slide: expected a duration that divides");
    Files.writeString(file, beacons.replace("logic: beacons", "logic: beacon"));
    assertSaid(
        file,
        ":" + line(file, "slide:") + ": live.slide: expected a duration that divides",
        ":" + line(file, "logic:") + ": report.logic: expected ");
    Files.writeString(
        file,
        "name: wrong\nlive: {query: [SELECT], window: soon, lateness: 1}\nreport: {logic: live}\n");
    assertSaid(
        file,
        ":2: live.window: expected a duration",
        ":2: live.query: expected a query, found a list",
        ":2: live.lateness: expected a duration");
  }

  private static void assertSaid(Path file, String... beginnings) {
    Ran ran = run("analyses", "check", file.toString());
    assertEquals(1, ran.code(), ran.out());
    List<String> lines = ran.out().lines().toList();
    assertEquals(beginnings.length, lines.size(), ran.out());
    for (int i = 0; i < beginnings.length; i++) {
      assertTrue(lines.get(i).startsWith(file + beginnings[i]), lines.get(i));
    }
  }

  @Test
  void errorsOfYamlAndOfQueriesNameLineAndColumn() throws Exception {
    String right = run("analyses", "show", "elephants").out();
    Path query = folder.resolve("q.yaml");
    Files.writeString(query, right.replace("SUM(estimated_bytes)", "SUM(byte)"));
    List<String> lines = Files.readAllLines(query);
    int line = 0;
    while (!lines.get(line).contains("SUM(byte)")) {
      line++;
    }
    int column = lines.get(line).indexOf("byte)");
    Ran ran = run("analyses", "check", query.toString());
    assertEquals(1, ran.code());
    String place = query + ":" + (line + 1) + ":" + (column + 1);
    assertTrue(ran.out().startsWith(place + ": live.query: no column 'byte'"), ran.out());
    Path yaml = folder.resolve("y.yaml");
    Files.writeString(yaml, "name: a\nlive: [\n");
    assertTrue(
        run("analyses", "check", yaml.toString()).out().startsWith(yaml + ":3:1: not YAML: "),
        ran.out());
  }

  @Test
  void whatIsNotThereIsSaid() {
    assertEquals(2, run("analyses").code());
    assertEquals(2, run("analyses", "show", "nothing").code());
    assertEquals(3, run("analyses", "check", folder.toString()).code());
    assertEquals(3, run("analyses", "list", folder.resolve("nowhere").toString()).code());
  }
}
