package org.flowmon.deploy.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PlaceOptions;
import org.flowmon.deploy.query.QueryPlace;
import org.jline.terminal.Size;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ShellTest {
  @TempDir Path folder;
  private Path archive;

  @BeforeEach
  void fill() throws Exception {
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,dst_port,protocol,bytes\n");
    for (int i = 0; i < 3000; i++) {
      csv.append(
          "2026-11-20T10:%02d:%02dZ,10.0.0.%d,192.0.2.1,%d,6,%d\n"
              .formatted(i / 60 % 60, i % 60, i % 100, i % 2 == 0 ? 53 : 443, i));
    }
    Path flows = Files.writeString(folder.resolve("flows.csv"), csv);
    archive = folder.resolve("archive");
    CommandRun run = CommandRun.of("import", flows, "--archive", archive);
    assertEquals(0, run.code(), run.err());
  }

  private CommandRun script(String text, Object... arguments) throws Exception {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    try {
      Object[] all = new Object[arguments.length + 3];
      System.arraycopy(arguments, 0, all, 3, arguments.length);
      all[0] = "shell";
      all[1] = "--archive";
      all[2] = archive;
      return CommandRun.of(all);
    } finally {
      System.setIn(before);
    }
  }

  private String query(String sql, String format) {
    CommandRun run = CommandRun.of("query", sql, "--archive", archive, "--format", format);
    assertEquals(0, run.code(), run.err());
    return run.out();
  }

  @Test
  void aScriptPrintsWhatQueriesPrint() throws Exception {
    String count = "SELECT dst_port, COUNT(*) AS n FROM flows GROUP BY dst_port ORDER BY dst_port";
    String sum = "SELECT SUM(bytes) AS b FROM flows";
    CommandRun run = script(count + ";\n.format csv\n-- the sum;\n" + sum + "\n;" + sum);
    assertEquals(0, run.code(), run.err());
    assertEquals(query(count, "table") + "format: csv\n" + query(sum, "csv").repeat(2), run.out());
  }

  @Test
  void theFirstFailureEndsAScriptWithItsCodeAndPlace() throws Exception {
    CommandRun run =
        script(
            "SELECT COUNT(*) AS n\n FROM flows;\n\nSELECT uid; SELECT COUNT(*) AS m FROM flows;",
            "--format",
            "csv");
    assertEquals(2, run.code());
    assertEquals("n\n3000\n", run.out());
    assertTrue(run.err().contains("flowmon shell: line 4:11: "), run.err());
    assertEquals(2, script(".fromat csv").code());
    assertTrue(script(".fromat csv").err().contains("did you mean .format?"));
    assertEquals(
        3, script("SELECT SUM(bytes) AS b FROM flows WHERE bytes > 9;", "--row-limit", "5").code());
    assertEquals(0, script("-- nothing to do\n").code());
    CommandRun ended = script(".quit\nSELECT uid FROM nowhere;");
    assertEquals(0, ended.code(), ended.err());
  }

  @Test
  void parametersHoldForTheQueriesThatHaveThem() throws Exception {
    CommandRun run =
        script(
            ".format csv\n.param port=53\nSELECT COUNT(*) AS n FROM flows WHERE dst_port = :port;\n"
                + "SELECT COUNT(*) AS n FROM flows;\n.param port=\n"
                + "SELECT COUNT(*) AS n FROM flows WHERE dst_port = :port;");
    assertEquals(2, run.code());
    assertEquals("format: csv\nport=53\nn\n1500\nn\n3000\nno parameters\n", run.out());
    assertTrue(run.err().contains(":port has no value"), run.err());
  }

  @Test
  void commandsTellTheWordsOfTheDialect() throws Exception {
    String help = script(".help").out();
    DotCommands.ALL.keySet().forEach(name -> assertTrue(help.contains(name), name));
    assertTrue(help.lines().allMatch(line -> line.length() <= 80), help);
    String columns = script(".columns dst_p").out();
    assertTrue(columns.contains("dst_port "), columns);
    assertFalse(columns.contains("src_addr "), columns);
    assertTrue(script(".functions").out().contains("QUANTILES"));
    String analysis = script(".analysis portscans").out();
    assertTrue(analysis.contains("FROM flows") && analysis.endsWith(";\n"), analysis);
    assertEquals(archive + "\n", script(".place").out());
    CommandRun plan = script(".explain on\nSELECT COUNT(*) AS n FROM flows;");
    assertTrue(plan.out().contains("read segments: 1 of 1"), plan.out());
  }

  /** A shell at a terminal of this JVM, with what a person sees and types. */
  private static final class Person implements AutoCloseable {
    private final PipedOutputStream keys = new PipedOutputStream();
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ExternalTerminal terminal;
    private final CompletableFuture<Integer> ended;

    Person(QueryPlace place, Optional<Path> history) throws IOException {
      terminal =
          new ExternalTerminal(
              "test", "xterm", new PipedInputStream(keys), screen, StandardCharsets.UTF_8);
      terminal.setSize(new Size(100, 30));
      PrintStream both = new PrintStream(out, true, StandardCharsets.UTF_8);
      Shell shell = new Shell(place, "error", OutputFormat.CSV, both, both);
      ShellEditor editor = new ShellEditor(terminal, shell, history);
      ended = CompletableFuture.supplyAsync(editor::run);
    }

    void types(String text) throws IOException {
      keys.write(text.getBytes(StandardCharsets.UTF_8));
      keys.flush();
    }

    void sees(ByteArrayOutputStream where, String text) throws Exception {
      for (int i = 0; !where.toString(StandardCharsets.UTF_8).contains(text); i++) {
        assertTrue(i < 3000, () -> "no '" + text + "' in\n" + out + "\nscreen\n" + screen);
        Thread.sleep(10);
      }
    }

    void hasOut(String text) throws Exception {
      sees(out, text);
    }

    int end() throws Exception {
      return ended.get(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
      terminal.close();
    }
  }

  private static QueryPlace place(Object... arguments) throws IOException {
    PlaceOptions options = new PlaceOptions();
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
        .parseArgs(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    return options.open(true);
  }

  @Test
  void typedQueriesAreCompletedAnsweredAndRemembered() throws Exception {
    Path history = folder.resolve("history");
    try (QueryPlace place = place("--archive", archive);
        Person person = new Person(place, Optional.of(history))) {
      person.types("sel\tCOUNT(*) AS n FROM flows\r");
      person.types("WHERE dst_po\t= 53;\r");
      person.hasOut("n\n1500\n");
      person.types("SELECT src_adr FROM flows;\r");
      person.hasOut("error: line 1:8: no column 'src_adr' in flows");
      person.hasOut("  SELECT src_adr FROM flows\n         ^\n");
      person.types(".for\tjson\r");
      person.hasOut("format: json\n");
      person.types("never mind");
      person.sees(person.screen, "never mind");
      person.types("\u0003"); // Ctrl-C
      person.sees(person.screen, "^C");
      person.types("SELECT MAX(bytes) AS b FROM flows;\r");
      person.hasOut("{\"b\":2999}");
      person.types("\u0004"); // Ctrl-D
      assertEquals(0, person.end());
    }
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(history)));
    String kept = Files.readString(history);
    assertTrue(kept.contains("SELECT src_adr FROM flows;"), kept);
    assertFalse(kept.contains("never mind"), kept);
    try (QueryPlace place = place("--archive", archive);
        Person person = new Person(place, Optional.of(history))) {
      person.types("\u0010\r"); // Ctrl-P: the line above
      person.hasOut("b\n2999\n");
      person.types(".quit\r");
      assertEquals(0, person.end());
    }
  }

  @Test
  void ctrlCEndsTheQueryThatRunsAndNotTheShell() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        QueryPlace place = place("--server", "http://127.0.0.1:" + silent.getLocalPort());
        Person person = new Person(place, Optional.empty())) {
      person.types("SELECT COUNT(*) AS n FROM flows;\r");
      try (Socket asked = silent.accept()) {
        assertTrue(asked.getInputStream().read() > 0);
        person.types("\u0003");
        person.hasOut("cancelled\n");
      }
      person.types(".format\r");
      person.hasOut("format: csv\n");
      person.types(".quit\r");
      assertEquals(0, person.end());
    }
  }

  @Test
  void aQueryOverAnArchiveEndsAmidItsRows() throws Exception {
    try (QueryPlace place = place("--archive", archive)) {
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      Shell[] made = new Shell[1];
      PrintStream cancelling =
          new PrintStream(
              new ByteArrayOutputStream() {
                @Override
                public synchronized void write(byte[] text, int from, int length) {
                  made[0].cancel();
                }
              },
              true,
              StandardCharsets.UTF_8);
      Shell shell =
          new Shell(
              place,
              "error",
              OutputFormat.CSV,
              cancelling,
              new PrintStream(err, true, StandardCharsets.UTF_8));
      made[0] = shell;
      Statements statements = new Statements();
      statements.add("SELECT * FROM flows;");
      assertEquals(Shell.CANCELLED, shell.run(statements.next().orElseThrow()));
      assertEquals("cancelled\n", err.toString(StandardCharsets.UTF_8));
    }
  }
}
