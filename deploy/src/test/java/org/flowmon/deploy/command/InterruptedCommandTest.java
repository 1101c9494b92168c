package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.deploy.export.sql.SlowTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands as separate processes that are interrupted while they run. */
final class InterruptedCommandTest {
  // Enough rows for seconds of work after the first segment, to interrupt.
  private static final int ROWS = 8_000_000;

  // A shell makes its background jobs ignore SIGINT, and their child processes inherit that.
  private static final boolean INT_IS_IGNORED = isIgnored(2);
  private static final String INTERRUPT = INT_IS_IGNORED ? "TERM" : "INT";
  private static final int INTERRUPTED = INT_IS_IGNORED ? 143 : 130;

  @TempDir Path folder;

  private Process start(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx700m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String opened : List.of("java.lang", "java.nio", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("org.flowmon.deploy.Flowmon");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("said").toFile())
        .start();
  }

  private static boolean isIgnored(int signal) {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("SigIgn:"))
          .anyMatch(
              line ->
                  ((Long.parseUnsignedLong(line.substring(7).trim(), 16) >> (signal - 1)) & 1)
                      == 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void signal(Process process, String name) throws Exception {
    assertEquals(
        0, new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor());
  }

  /** Waits until a folder has a file; the process must still run. */
  private void awaitFile(Process process, Path in, String part) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (System.nanoTime() < end) {
      if (Files.isDirectory(in)) {
        try (Stream<Path> files = Files.list(in)) {
          if (files.anyMatch(file -> file.getFileName().toString().contains(part))) {
            return;
          }
        }
      }
      assertTrue(process.isAlive(), () -> "ended too soon: " + said());
      Thread.sleep(5);
    }
    throw new AssertionError("nothing came: " + said());
  }

  private String said() {
    try {
      return Files.readString(folder.resolve("said"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private Path csv(int rows) throws Exception {
    Path file = folder.resolve("in.csv");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("end_time,src_addr,bytes\n");
      for (int i = 0; i < rows; i++) {
        out.write(i + ",10.0." + (i & 0xFF) + ".1," + i * 7 + "\n");
      }
    }
    return file;
  }

  @Test
  void anInterruptedImportLeavesNothingAndAnInterruptedExportNoFile() throws Exception {
    Path input = csv(ROWS);
    Path archive = folder.resolve("archive");
    String[] command = {
      "import", input.toString(), "--archive", archive.toString(), "--threads", "1"
    };
    Process process = start(command);
    awaitFile(process, archive.resolve("segments"), "");
    signal(process, INTERRUPT);
    assertEquals(INTERRUPTED, process.waitFor(), this::said);
    assertEquals(List.of(), ExportedFlows.rows(archive));
    try (Stream<Path> files = Files.list(archive.resolve("segments"))) {
      assertEquals(List.of(), files.toList());
    }
    assertTrue(said().contains("not imported: interrupted"), said());
    assertEquals(0, CommandRun.of((Object[]) command).code());
    Path target = Files.createDirectory(folder.resolve("target"));
    process =
        start(
            "export", "--archive", archive.toString(), "--to", target.resolve("x.json").toString());
    awaitFile(process, target, ".part");
    signal(process, "TERM");
    assertEquals(143, process.waitFor(), this::said);
    try (Stream<Path> files = Files.list(target)) {
      assertEquals(List.of(), files.toList());
    }
    assertEquals(0, CommandRun.of("verify", "--archive", archive).code());
  }

  @Test
  void anExportThatAddsRowsToATableEndsSoonAndAddsNone() throws Exception {
    Path archive = folder.resolve("archive");
    String url = "jdbc:sqlite:" + folder.resolve("flows.db");
    SlowTable table = SlowTable.fill(archive, url);
    Process process = start("export", "--archive", archive.toString(), "--to", url, "--append");
    try {
      table.awaitLoaded();
      assertTrue(process.isAlive(), this::said);
      signal(process, INTERRUPT);
      assertTrue(process.waitFor(40, TimeUnit.SECONDS), this::said);
    } finally {
      process.destroyForcibly();
    }
    assertEquals(INTERRUPTED, process.exitValue(), this::said);
    assertTrue(said().contains("flowmon export: stopping, as a signal asks"), said());
    assertTrue(said().contains("no row was written to " + url), said());
    table.requireUntouched();
  }

  @Test
  void aSignalThatComesEarlyIsAnsweredInOneLine() throws Exception {
    String input = csv(ROWS / 4).toString();
    int answered = 0;
    for (int millis = 100; millis <= 1500; millis += 200) {
      Path archive = folder.resolve("early" + millis);
      Process process = start("import", input, "--archive", archive.toString(), "--threads", "1");
      Thread.sleep(millis);
      signal(process, INTERRUPT);
      assertEquals(INTERRUPTED, process.waitFor(), this::said);
      List<String> lines =
          said().lines().filter(line -> !line.startsWith("there was no archive at ")).toList();
      // Before Java knows the command it cannot print anything.
      answered += lines.isEmpty() ? 0 : 1;
      assertTrue(lines.size() <= 2, said());
      assertTrue(
          lines.isEmpty() || lines.get(0).equals("flowmon import: stopping, as a signal asks"),
          said());
      assertTrue(
          lines.size() < 2 || lines.get(1).equals(input + ": not imported: interrupted"), said());
    }
    assertTrue(answered > 0, "no signal was answered");
  }
}
