package org.flowmon.deploy;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.terminal.TerminalStream;
import picocli.CommandLine;

/**
 * Runs short commands over a small archive of its own, so that a build can keep the classes which
 * they load ({@code -XX:DumpLoadedClassList}). The launcher's later commands share them: they start
 * in a fraction of the time. Prints nothing; fails if a command fails.
 */
public final class SharedClasses {
  private SharedClasses() {}

  /** {@code args}: an empty folder for the archive. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    PrintStream err = System.err;
    System.setOut(nothing());
    System.setErr(nothing());
    TerminalStream.install();
    CommandLine line = Flowmon.commandLine();
    List<List<String>> commands = commands(folder);
    for (List<String> command : commands) {
      if (line.execute(command.toArray(String[]::new)) != 0) {
        err.println("flowmon: " + String.join(" ", command) + " failed");
        System.exit(3);
      }
    }
    // As the launcher does: this ends the process.
    Start.main(commands.get(commands.size() - 1).toArray(String[]::new));
  }

  private static PrintStream nothing() {
    return new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8);
  }

  private static List<List<String>> commands(Path folder) throws IOException {
    Path flows = folder.resolve("flows.csv");
    Files.write(flows, flows());
    String archive = folder.resolve("archive").toString();
    String groups =
        "SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes, AVG(packets) AS packets FROM"
            + " flows WHERE dst_port IN (53, 443) GROUP BY src_addr ORDER BY bytes DESC LIMIT 5";
    String rows =
        "SELECT * FROM flows WHERE dst_addr IN '192.0.2.0/24' AND start_time >= '2026-11-20T00:00Z'"
            + " ORDER BY start_time LIMIT 5";
    String functions =
        "SELECT COUNT(DISTINCT dst_addr) AS peers, QUANTILES(bytes) AS sizes FROM flows";
    List<List<String>> commands = new ArrayList<>();
    commands.add(List.of("import", flows.toString(), "--archive", archive));
    String host = "SELECT * FROM flows WHERE dst_addr = '192.0.2.1' ORDER BY end_time LIMIT 5";
    String lookup = "SELECT * FROM flows WHERE src_addr = '10.0.3.101'";
    for (String sql : List.of(groups, rows, functions, host, lookup)) {
      commands.add(List.of("query", sql, "--archive", archive));
    }
    commands.add(List.of("query", groups, "--archive", archive, "--format", "json"));
    commands.add(List.of("query", groups, "--archive", archive, "--format", "csv", "--explain"));
    commands.add(List.of("host", "192.0.2.1", "--archive", archive));
    commands.add(List.of("seen", "192.0.2.1", "--archive", archive));
    commands.add(List.of("stats", "--by", "protocol", "bytes", "--archive", archive));
    commands.add(List.of("inspect", archive));
    return commands;
  }

  private static List<String> flows() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "start_time,end_time,arrival,duration,src_addr,dst_addr,src_port,dst_port,protocol,bytes,"
            + "packets,tcp_flags,service");
    for (int i = 0; i < 2000; i++) {
      String time = String.format("2026-11-20T%02d:%02d:%02dZ", i / 200, i % 60, i % 50);
      boolean isName = i % 3 == 0;
      lines.add(
          time
              + ","
              + time
              + ","
              + time
              + ",0,10.0."
              + i % 7
              + "."
              + i % 200
              + ",192.0.2."
              + i % 90
              + ","
              + (1024 + i)
              + (isName ? ",53,17," : ",443,6,")
              + 100 * i
              + ","
              + i
              + (isName ? ",,dns" : ",27,ssl"));
    }
    return lines;
  }
}
