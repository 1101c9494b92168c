package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FilesCommandTest {
  private static final int FILES = 12;
  private static final String LINE =
      "{\"ts\":%d.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":%d,"
          + "\"id.resp_h\":\"192.0.2.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5}\n";
  private static final String COUNT = "SELECT count(*), count(DISTINCT src_port) FROM ";

  @TempDir Path folder;
  private Path archive;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... arguments) {
    out.reset();
    PrintStream stdout = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      return Flowmon.commandLine().execute(arguments);
    } finally {
      System.setOut(stdout);
    }
  }

  private String printed(String... arguments) {
    assertEquals(0, run(arguments));
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Creates an archive of many small segments with a name that needs quotes. */
  @BeforeEach
  void fill() throws Exception {
    archive = folder.toRealPath().resolve("kept 'archive'");
    List<String> imports = new ArrayList<>(List.of("import", "--archive", archive.toString()));
    for (int i = 0; i < FILES; i++) {
      Path file = folder.resolve("f" + i);
      imports.add(Files.writeString(file, LINE.formatted(1_700_000_000 + i, i)).toString());
    }
    assertEquals(0, run(imports.toArray(String[]::new)));
  }

  private static String ask(String... sql) throws Exception {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      for (int i = 0; i < sql.length - 1; i++) {
        statement.execute(sql[i]);
      }
      try (ResultSet result = statement.executeQuery(sql[sql.length - 1])) {
        assertTrue(result.next());
        return result.getLong(1) + " rows of " + result.getLong(2) + " flows";
      }
    }
  }

  @Test
  void duckDbCountsEachFlowOnceWhileMergedFilesLieBesideTheirPartsAndTheGlobDoesNot()
      throws Exception {
    String glob =
        COUNT + "read_parquet('" + archive.toString().replace("'", "''") + "/segments/*.parquet')";
    String before = printed("files", "--archive", archive.toString(), "--format", "duckdb");
    try (Archive opened = Archive.open(archive);
        ArchiveSnapshot held = opened.snapshot()) {
      assertEquals(FILES, held.files().size());
      assertEquals(0, run("compact", "--archive", archive.toString()));
      assertEquals("24 rows of 12 flows", ask(glob));
      assertEquals("12 rows of 12 flows", ask(before, COUNT + "flows"));
      String after = printed("files", "--archive", archive.toString(), "--format", "duckdb");
      assertEquals("12 rows of 12 flows", ask(after, COUNT + "flows"));
      List<String> list = printed("files", "--archive", archive.toString()).lines().toList();
      assertEquals(1, list.size(), list.toString());
      assertTrue(after.contains(list.get(0).replace("'", "''")), after);
      assertFalse(held.files().contains(list.get(0)));
    }
  }

  @Test
  void jsonSaysWhatTheManifestSays() throws Exception {
    String json = printed("files", "--archive", archive.toString(), "--format", "json");
    int files = 0;
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      while (parser.nextToken() != null) {
        if ("file".equals(parser.currentName()) && parser.currentToken().isScalarValue()) {
          assertTrue(Files.exists(Path.of(parser.getText())), parser.getText());
          files++;
        }
      }
    }
    assertEquals(FILES, files);
    assertTrue(json.contains("\"flows\":1,"), json);
    assertTrue(json.contains("\"max_end_time\":\"2023-11-14T22:13:22Z\""), json);
  }

  @Test
  void aCommandFindsItsFilesThoughAnotherProcessMergesThemMeanwhile() throws Exception {
    Path output = folder.resolve("output");
    Path script = folder.resolve("script");
    Files.writeString(
        script,
        """
        cmp "$1" "$FLOWMON_FILES" || exit 10
        "$2" -cp "$3" org.flowmon.deploy.Flowmon compact --archive "$4" > "$5" || exit 11
        while read -r file; do test -f "$file" || exit 12; done < "$1"
        cat "$1" >> "$5"
        exit 7
        """);
    int code =
        run(
            "files",
            "--archive",
            archive.toString(),
            "--",
            "sh",
            script.toString(),
            "{}",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            System.getProperty("java.class.path"),
            archive.toString(),
            output.toString());
    List<String> lines = Files.readAllLines(output);
    assertEquals(7, code, lines.toString());
    assertTrue(lines.get(0).startsWith("12 segments became 1; 12 flows"), lines.get(0));
    assertTrue(lines.get(0).contains("files of 0 segments deleted"), lines.get(0));
    assertEquals(1 + FILES, lines.size());
    // The command has ended: nobody needs the files.
    String said = printed("compact", "--archive", archive.toString());
    assertTrue(said.contains("files of 12 segments deleted"), said);
    assertFalse(Files.exists(Path.of(lines.get(1))));
  }

  @Test
  void whatCannotBeRunOrListedIsSaid() throws Exception {
    assertEquals(
        ExitCodes.FAILED, run("files", "--archive", archive.toString(), "--", "no-such-command"));
    assertEquals(ExitCodes.FAILED, run("files", "--archive", folder.resolve("none").toString()));
    String empty = folder.resolve("empty").toString();
    Archive.create(Path.of(empty), ArchiveOptions.DEFAULTS).close();
    assertEquals("", printed("files", "--archive", empty));
    assertEquals(ExitCodes.FAILED, run("files", "--archive", empty, "--format", "duckdb"));
  }
}
