package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sender of flows chooses their texts. */
class HostileTextTest {
  /** Sets a title, clears the screen, reverses the line, begins its own line. */
  private static final String HOSTILE =
      "\u001b]0;x\u0007\u001b[2J\u009b2J\u202egnp\u2066\u200f\nFORGED";

  private static final String FORMULA = "=cmd|' /C calc'!A0";

  @TempDir private Path folder;

  private Path archive;

  @BeforeEach
  void importHostileFlows() throws Exception {
    archive = folder.resolve("archive");
    Path input = folder.resolve("in.jsonl");
    StringBuilder lines = new StringBuilder();
    for (String text : List.of(HOSTILE, FORMULA, "'=kept", "-", "@x", "\tt", "plain")) {
      lines.append(
          "{\"end_time\":5,\"src_addr\":\"10.0.0.1\",\"dst_port\":53,\"protocol\":17,\"service\":\""
              + json(text)
              + "\",\"uid\":\""
              + json(text)
              + "\"}\n");
    }
    lines.append("{\"end_time\":\"").append(json(HOSTILE)).append("\"}\n");
    Files.writeString(input, lines);
    clean(CommandRun.of("import", input, "--archive", archive));
  }

  private static String json(String text) {
    StringBuilder escaped = new StringBuilder();
    text.chars().forEach(c -> escaped.append(String.format("\\u%04x", c)));
    return escaped.toString();
  }

  private static CommandRun clean(CommandRun run) {
    for (String said : List.of(run.out(), run.err())) {
      assertFalse(
          said.codePoints()
              .anyMatch(
                  c ->
                      (c < ' ' && c != '\n')
                          || (c >= 0x7F && c < 0xA0)
                          || Character.getType(c) == Character.FORMAT),
          () -> json(said));
      assertFalse(said.lines().anyMatch(line -> line.startsWith("FORGED")), said);
    }
    return run;
  }

  @Test
  void noCommandLetsATextOfAFlowSteerTheTerminal() throws Exception {
    String sql = "SELECT service, COUNT(*) AS flows FROM flows GROUP BY service";
    List<CommandRun> runs = new ArrayList<>();
    runs.add(CommandRun.of("query", sql, "--archive", archive));
    runs.add(CommandRun.of("query", "SELECT * FROM flows", "--archive", archive));
    runs.add(CommandRun.of("query", sql, "--archive", archive, "--format", "json"));
    runs.add(CommandRun.of("query", "EXPLAIN " + sql, "--archive", archive));
    runs.add(CommandRun.of("export", "--archive", archive, "--to", "-", "--format", "json"));
    runs.add(CommandRun.of("stats", "bytes", "--archive", archive));
    runs.add(CommandRun.of("host", "10.0.0.1", "--archive", archive));
    runs.add(CommandRun.of("verify", "--archive", archive));
    for (CommandRun run : runs) {
      assertEquals(0, clean(run).code(), run.err());
    }
    assertTrue(runs.get(0).out().contains("\\x1b]0;x\\x07\\x1b[2J\\u009b2J\\u202egnp"), "a table");
    // An error that quotes the query, and one that quotes a file's name.
    assertEquals(
        2, clean(CommandRun.of("query", "SELECT '" + HOSTILE, "--archive", archive)).code());
    assertEquals(
        3, clean(CommandRun.of("query", sql, "--archive", folder.resolve(HOSTILE))).code());
  }

  @Test
  void cellsAreSafeByThemselvesWhateverTheStream() throws Exception {
    ResultTable table =
        new ResultTable.Builder().column("a\u001bz", ValueKind.TEXT).row().set(0, HOSTILE).build();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (PrintStream plain = new PrintStream(out, true, StandardCharsets.UTF_8)) {
      PrintWriter writer = new PrintWriter(plain, true, StandardCharsets.UTF_8);
      OutputFormat.TABLE.write(table, List.of(), writer);
      writer.flush();
      Facts facts = new Facts();
      facts.value("text", HOSTILE);
      facts.table("texts", "text").row(HOSTILE);
      facts.print(plain);
    }
    clean(new CommandRun(0, out.toString(StandardCharsets.UTF_8), ""));
  }

  @Test
  void noCellOfCsvIsAFormulaAndWhatIsImportedAgainIsTheSame() throws Exception {
    CommandRun query =
        CommandRun.of(
            "query", "SELECT uid FROM flows ORDER BY uid", "--archive", archive, "--format", "csv");
    Path csv = folder.resolve("out.csv");
    assertEquals(0, CommandRun.of("export", "--archive", archive, "--to", csv).code());
    for (String text : List.of(query.out(), Files.readString(csv))) {
      assertFalse(text.matches("(?s).*(^|[,\r\n])\"?[=+@\t-].*"), text);
      assertTrue(text.contains("'" + FORMULA), text);
      assertTrue(text.contains("''=kept"), text);
      assertTrue(text.contains(HOSTILE), "a file for programs is exact but for the mark");
    }
    Path back = folder.resolve("back");
    assertEquals(0, CommandRun.of("import", csv, "--archive", back).code());
    String sql = "SELECT service, uid FROM flows ORDER BY uid";
    assertEquals(
        CommandRun.of("query", sql, "--archive", archive, "--format", "json").out(),
        CommandRun.of("query", sql, "--archive", back, "--format", "json").out());
  }

  @Test
  void exactCsvHasTextsAsTheyAre() throws Exception {
    CommandRun run =
        CommandRun.of("export", "--archive", archive, "--to", "-", "--format", "csv_exact");
    assertTrue(run.out().contains("," + FORMULA + ","), run.out());
    assertTrue(run.out().contains(",'=kept,"), run.out());
  }
}
