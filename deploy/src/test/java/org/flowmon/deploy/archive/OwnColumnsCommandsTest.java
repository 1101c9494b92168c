package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns of a user's own, which are a process's: commands that know them are processes here. */
class OwnColumnsCommandsTest {
  @TempDir Path folder;
  private Path archive;

  @BeforeEach
  void names() {
    archive = folder.resolve("archive");
  }

  @Test
  void columnsOfAYamlFileAreImportedAndAskedFor() throws Exception {
    Path columns =
        write(
            "columns.yaml",
            """
            columns:
              - {name: dns_name, id: 200, names: [dns.rrname]}
              - {name: jitter, id: 201, type: number, unit: ms, scale: 1000, names: [jitter_ms]}
            archive: {segments: left to the job}
            """);
    Path flows =
        write(
            "flows.json",
            """
            {"end_time":"2026-11-01T00:00:00Z","src_addr":"10.0.0.1","dns":{"rrname":"a.example"},"jitter_ms":-0.25}
            {"end_time":"2026-11-01T00:00:01Z","src_addr":"10.0.0.2","dns":{"rrname":"a.example"},"jitter_ms":1.0005}
            {"end_time":"2026-11-01T00:00:02Z","src_addr":"10.0.0.3"}
            """);
    run("import", flows, "--columns", columns, "--archive", archive);
    assertEquals(
        List.of("dns_name,jitter,n", "a.example,751,2", ",,1"),
        run(
            "query",
            "SELECT dns_name, SUM(jitter) AS jitter, COUNT(*) AS n FROM flows GROUP BY dns_name"
                + " ORDER BY n DESC",
            "--archive",
            archive,
            "--format",
            "csv"));
    assertTrue(
        Files.readAllLines(archive.resolve("settings"))
            .contains("column: 201 jitter number ms/1000"));
    Path csv =
        write("more.csv", "end_time,jitter_ms,dns_name\n2026-11-01T00:00:03Z,0.5,b.example\n");
    run("import", csv, "--columns", columns, "--archive", archive);
    assertEquals(
        List.of("dns_name", "b.example"),
        run(
            "query",
            "SELECT dns_name FROM flows WHERE jitter = 500",
            "--archive",
            archive,
            "--format",
            "csv"));
    Path exported = folder.resolve("all.parquet");
    run("export", "--archive", archive, "--to", exported);
    Path again = folder.resolve("again");
    run("import", exported, "--columns", columns, "--archive", again);
    String all = "SELECT end_time, jitter, dns_name FROM flows ORDER BY end_time";
    assertEquals(
        run("query", all, "--archive", archive, "--format", "csv"),
        run("query", all, "--archive", again, "--format", "csv"));
  }

  @Test
  void aWrongFileOfColumnsIsNamedWithItsLine() throws Exception {
    Path flows = write("flows.csv", "end_time\n2026-11-01T00:00:00Z\n");
    refused(flows, "- {name: x, id: 82}", "columns.yaml:2: columns[1].id", "192…254");
    refused(flows, "- {name: x}", "columns.yaml:2: columns[1].id", "is missing");
    refused(
        flows, "- {name: src_addr, id: 200}", "columns.yaml:2: columns[1].name", "of a standard");
    refused(
        flows, "- {name: x, id: 200, type: decimal}", "columns.yaml:2: columns[1].type", "number");
    refused(flows, "- {name: x, id: 200, scale: 7}", "columns.yaml:2: columns[1].scale", "10, 100");
    refused(flows, "- {name: x, id: 200, type: number, unit: b/10}", "columns[1].unit", "scale");
    refused(flows, "- {name: x, id: 200, typ: uint8}", "columns[1].typ", "did you mean 'type'?");
    refused(flows, "- {name: x, id: 200, unit: 'a,b'}", "columns.yaml:2: columns[1].name", "unit");
  }

  private void refused(Path flows, String column, String place, String why) throws Exception {
    Path columns = write("columns.yaml", "columns:\n  " + column + "\n");
    CommandRun run = CommandRun.of("import", flows, "--columns", columns, "--archive", archive);
    assertEquals(ExitCodes.USAGE, run.code(), run.toString());
    assertTrue(run.err().contains(place) && run.err().contains(why), run.toString());
  }

  private Path write(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text);
  }

  /** In a process of its own; returns its lines of output. */
  private List<String> run(Object... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Flowmon.class.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    int code =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();
    assertEquals(ExitCodes.DONE, code, Files.readString(err));
    return Files.readAllLines(out);
  }
}
