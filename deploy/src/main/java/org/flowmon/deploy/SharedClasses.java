package org.flowmon.deploy;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.derived.RunUpdate;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.deploy.terminal.TerminalStream;

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
    Path archive = folder.resolve("archive");
    int file = 0;
    while (file < 3) {
      run(imported(folder, file++, archive), err);
    }
    keepUp(archive);
    run(imported(folder, file, archive), err); // is in no sums of days yet
    List<List<String>> commands = commands(archive.toString());
    for (List<String> command : commands) {
      run(command, err);
    }
    // As the launcher does: this ends the process.
    Start.main(commands.get(commands.size() - 1).toArray(String[]::new));
  }

  private static void run(List<String> command, PrintStream err) {
    if (Flowmon.commandLine().execute(command.toArray(String[]::new)) != 0) {
      err.println("flowmon: " + String.join(" ", command) + " failed");
      System.exit(3);
    }
  }

  /** As a job does: merged segments, a snapshot of the manifest, a directory and sums of days. */
  private static void keepUp(Path archive) throws IOException {
    int eachCommit = 1;
    try (Archive opened =
        Archive.open(
            archive, new ArchiveOptions(eachCommit, ArchiveOptions.DEFAULTS.maxOpenSegments()))) {
      Compactor compactor = new Compactor(opened, CompactionOptions.DEFAULTS);
      boolean isMerged = compactor.step(() -> false) != null;
      RunUpdate.Done directory = opened.updateDirectory(false, () -> false);
      RunUpdate.Done days = opened.updateDays(CompactionOptions.NONE::settled, false, () -> false);
      if (!isMerged || directory.isNothing() || days.isNothing()) {
        throw new IllegalStateException("nothing was merged, or there is no directory or sum");
      }
    }
  }

  private static PrintStream nothing() {
    return new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8);
  }

  private static List<String> imported(Path folder, int file, Path archive) throws IOException {
    Path flows = folder.resolve("flows-" + file + ".csv");
    Files.write(flows, flows(file));
    return List.of("import", flows.toString(), "--archive", archive.toString());
  }

  private static List<List<String>> commands(String archive) {
    String groups =
        "SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes, AVG(packets) AS packets FROM"
            + " flows WHERE dst_port IN (53, 443) GROUP BY src_addr ORDER BY bytes DESC LIMIT 5";
    String rows =
        "SELECT * FROM flows WHERE dst_addr IN '192.0.2.0/24' AND start_time >= '2026-11-20T00:00Z'"
            + " ORDER BY start_time LIMIT 5";
    String functions =
        "SELECT COUNT(DISTINCT dst_addr) AS peers, QUANTILES(bytes) AS sizes FROM flows";
    String senders =
        "SELECT src_addr, COUNT(*), SUM(bytes) AS bytes FROM flows GROUP BY src_addr"
            + " ORDER BY bytes DESC LIMIT 10";
    List<List<String>> commands = new ArrayList<>();
    String host = "SELECT * FROM flows WHERE dst_addr = '192.0.2.1' ORDER BY end_time LIMIT 5";
    String lookup = "SELECT * FROM flows WHERE src_addr = '10.0.3.101'";
    for (String sql : List.of(groups, senders, rows, functions, host, lookup)) {
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

  private static List<String> flows(int file) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "start_time,end_time,arrival,duration,src_addr,dst_addr,src_port,dst_port,protocol,bytes,"
            + "packets,tcp_flags,service");
    int day = 20 + file / 2; // two of a day, which are merged
    for (int i = 0; i < 2000; i++) {
      String time = String.format("2026-11-%dT%02d:%02d:%02dZ", day, i / 200, i % 60, i % 50);
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
              + (100 * i + file)
              + ","
              + i
              + (isName ? ",,dns" : ",27,ssl"));
    }
    return lines;
  }
}
