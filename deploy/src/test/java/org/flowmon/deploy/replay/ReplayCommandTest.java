package org.flowmon.deploy.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayCommandTest {
  private static final long SECOND = 1_000_000L;
  private static final long NOON = 1_795_262_400L * SECOND; // 2026-11-21T12:00:00Z

  @TempDir private Path folder;

  /** The result of a command. */
  private record Ran(int code, String out, String err) {}

  private static Ran run(String... args) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream given = new ByteArrayOutputStream();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(given, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      int code = Flowmon.commandLine().execute(args);
      return new Ran(
          code, given.toString(StandardCharsets.UTF_8), said.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  /** An archive of a flow a second for a minute from noon on; the flow of second s has s bytes. */
  private Path archive() throws Exception {
    Path place = folder.resolve("archive");
    ArchiveLocation location = ArchiveLocation.of(place);
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
        ArchiveImporter importer =
            new ArchiveImporter(
                archive, new ImportedFile(String.format("%064x", 1), "test", 1), false)) {
      FlowBatchBuilder builder = new FlowBatchBuilder(60);
      for (int s = 0; s < 60; s++) {
        builder.beginRow();
        // The flow of the 55th second arrives an hour late.
        builder.set(FlowColumn.ARRIVAL, NOON + (s == 55 ? 3600 : s) * SECOND);
        builder.set(FlowColumn.END_TIME, NOON + s * SECOND);
        builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000001 + s % 2);
        builder.set(FlowColumn.BYTES, s);
        builder.endRow();
      }
      importer.add(FlowBatch.open(builder.build(1, 0, 60, 0)));
      importer.commit("test");
    }
    return place;
  }

  @Test
  void reportsOfARangeComeInTheOrderOfTheirWindows() throws Exception {
    Path file = folder.resolve("talkers.yaml");
    Files.writeString(
        file,
        """
        name: talkers
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 1
          window: 10s
        report:
          logic: live
        """);
    Ran ran =
        run(
            "replay",
            "--archive",
            archive().toString(),
            "--analysis",
            file.toString(),
            "--from",
            "2026-11-21T12:00:10Z",
            "--to",
            "2026-11-21T12:00:45Z",
            "--format",
            "json");
    assertEquals(0, ran.code(), ran.err());
    String[] lines = ran.out().split("\n", -1);
    assertEquals(4, lines.length, ran.out()); // three windows and the end
    // Odd seconds belong to 10.0.0.2: 11 + 13 + 15 + 17 + 19, and so on.
    int[] sums = {75, 125, 175};
    for (int i = 0; i < 3; i++) {
      assertTrue(
          lines[i].contains("\"window_start\":\"2026-11-21T12:00:" + (i + 1) + "0Z\""), lines[i]);
      assertTrue(
          lines[i].contains("\"columns\":{\"src_addr\":\"10.0.0.2\",\"bytes\":" + sums[i] + "}"),
          lines[i]);
      assertTrue(lines[i].contains("\"flows\":10,\"late_flows\":0,"), "of the window: " + lines[i]);
    }
    assertTrue(ran.err().contains("3 reports with 3 rows, of 35 flows"), ran.err());
  }

  @Test
  void whatIsLeftOutIsSaid() throws Exception {
    String archive = archive().toString();
    Ran quiet = replay(archive, "elephants", "2026-11-21T12:00:50Z", "2026-11-21T12:01:00Z");
    assertEquals("", quiet.out());
    assertTrue(
        quiet.err().contains("1 report has nothing out of the ordinary (rows: 2 no_history)"),
        quiet.err());
    Ran late =
        replay(archive, "elephants", "2026-11-21T12:00:50Z", "2026-11-21T12:01:00Z", "--all");
    assertEquals(0, late.code(), late.err());
    assertTrue(late.err().contains("of 10 flows"), late.err());
    assertTrue(late.err().contains("\n1 of these flows arrived too late"), late.err());
    // Values that are equal in all rows stand above them, once.
    String head = late.out().replaceAll("\\R {2}(?=\\S)", " ");
    assertTrue(head.contains(", without 2026-11-20T12:01:00Z 2026-11-19T12:01:00Z"), late.out());
    assertFalse(late.out().contains("days_missing"), late.out());
    assertFalse(late.out().contains("median_rate"), late.out());
    Ran empty = replay(archive, "elephants", "2026-11-22T12:00:00Z", "2026-11-22T12:01:00Z");
    assertEquals(0, empty.code(), empty.err());
    assertTrue(
        empty.err().contains("no flow is of that time: the archive holds flows of"), empty.err());
  }

  @Test
  void whatCannotBeReplayedIsSaid() throws Exception {
    String archive = archive().toString();
    Ran unknown = replay(archive, "nothing", "2026-11-21T12:00:00Z", "2026-11-21T12:01:00Z");
    assertEquals(2, unknown.code());
    assertTrue(unknown.err().contains("there is no 'nothing' among [elephants,"), unknown.err());
    Ran narrow = replay(archive, "elephants", "2026-11-21T12:00:00Z", "2026-11-21T12:00:09Z");
    assertEquals(2, narrow.code());
    assertTrue(narrow.err().contains("no window of analysis elephants"), narrow.err());
    Ran backwards = replay(archive, "elephants", "2026-11-21T12:01:00Z", "2026-11-21T12:00:00Z");
    assertTrue(
        backwards.err().contains("the first time is not before the second"), backwards.err());
    Ran noon = replay(archive, "elephants", "noon", "2026-11-21T12:00:09Z");
    assertEquals(2, noon.code());
    assertTrue(noon.err().contains("'noon' is no time"), noon.err());
    long day = TimeText.parse("2026-11-21T00:00:00Z");
    assertEquals(day, TimeText.parse("2026-11-21"));
    assertEquals(day + 3_600_000_000L, TimeText.parse("2026-11-21 01:00:00"));
    Ran nowhere =
        replay(
            folder.resolve("nowhere").toString(),
            "elephants",
            "2026-11-21T12:00:00Z",
            "2026-11-21T12:01:00Z");
    assertEquals(3, nowhere.code());
    assertTrue(nowhere.err().contains("there is no archive at"), nowhere.err());
  }

  /** A logic that fails; found by the name of its class. */
  public static final class FailingLogic implements ReportLogic {
    @Override
    public List<ReportColumn> open(AnalysisConfig analysis) {
      return List.of(ReportColumn.sum("bytes"));
    }

    @Override
    public ResultTable report(WindowHistory window) {
      throw new IllegalArgumentException("seven is too many");
    }
  }

  @Test
  void aReplayThatFailsSaysWhyAndEndsWith3() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("failing.yaml"),
            """
            name: failing
            live: {query: SELECT SUM(bytes) AS bytes FROM flows, window: 10s, time: end_time}
            report: {logic: %s}
            sinks: [kafka]
            """
                .formatted(FailingLogic.class.getName()));
    Ran ran =
        replay(
            archive().toString(), file.toString(), "2026-11-21T12:00:00Z", "2026-11-21T12:01:00Z");
    assertEquals(3, ran.code(), ran.err());
    assertEquals("", ran.out());
    assertTrue(
        ran.err().contains("the replay failed: analysis failing: its logic")
            && ran.err().contains("seven is too many"),
        ran.err());
    assertFalse(ran.err().contains("reports with"), ran.err());
  }

  @Test
  void aReplayIntoHeadEndsQuietly() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "org.flowmon.deploy.Flowmon",
                "replay",
                "--archive",
                archive().toString(),
                "--analysis",
                "traffic_by_protocol",
                "--from",
                "2026-11-21T12:00:00Z",
                "--to",
                "2026-11-21T12:01:00Z",
                "--format",
                "json")
            .redirectError(folder.resolve("said").toFile())
            .start();
    process.getInputStream().close();
    assertTrue(process.waitFor(2, TimeUnit.MINUTES), "it goes on");
    assertEquals(0, process.exitValue(), Files.readString(folder.resolve("said")));
    assertEquals("", Files.readString(folder.resolve("said")));
  }

  /** A logic that is slow with every second window: one of two tasks makes all of these. */
  public static final class LimpingLogic implements ReportLogic {
    @Override
    public List<ReportColumn> open(AnalysisConfig analysis) {
      return List.of(ReportColumn.sum("bytes"));
    }

    @Override
    public ResultTable report(WindowHistory window) {
      if (window.window().windowEnd() / SECOND % 2 == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
      }
      return window.window().rows();
    }
  }

  @Test
  void reportsOfTwoTasksComeInTheOrderOfTheirWindowsHoweverLateFlowsMayBe() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("limping.yaml"),
            """
            name: limping
            live:
              query: SELECT SUM(bytes) AS bytes FROM flows
              window: 1s
              time: end_time
              lateness: 30s
            report: {logic: %s}
            sinks: [kafka]
            """
                .formatted(LimpingLogic.class.getName()));
    Ran ran =
        replay(
            archive().toString(),
            file.toString(),
            "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:50Z",
            "--format",
            "json",
            "--parallelism",
            "2");
    assertEquals(0, ran.code(), ran.err());
    List<String> starts =
        ran.out()
            .lines()
            .map(line -> line.replaceFirst(".*\"window_start\":\"([^\"]*)\".*", "$1"))
            .toList();
    assertEquals(50, starts.size(), ran.out());
    assertEquals(starts.stream().sorted().toList(), starts);
  }

  private static Ran replay(
      String archive, String analysis, String from, String to, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "replay",
                "--archive",
                archive,
                "--analysis",
                analysis,
                "--from",
                from,
                "--to",
                to));
    all.addAll(List.of(more));
    return run(all.toArray(String[]::new));
  }
}
