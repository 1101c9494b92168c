package org.flowmon.deploy.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.flowmon.deploy.bench.archive.SystemChoice;
import org.flowmon.deploy.bench.archive.SystemComparison;
import org.flowmon.deploy.bench.archive.Workload;
import org.flowmon.deploy.bench.archive.WorkloadQuery;
import org.flowmon.deploy.bench.output.BenchFolder;
import org.flowmon.deploy.bench.output.BenchResult;
import org.flowmon.deploy.bench.output.SvgPlot;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** What every experiment can be told, and how it shows what it found. */
final class ExperimentOptions {
  @Option(names = "--seed", defaultValue = "42", description = "Seed of the rows.")
  private long seed;

  @Option(
      names = "--threads",
      description = "Threads that a system may use for one query; default: the cores.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Timed runs of each measurement; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "MS",
      defaultValue = "300",
      description = "How long a query is run before it is timed; default ${DEFAULT-VALUE} ms.")
  private int warmUp;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Where the plot goes; default bench-NAME.svg in the working folder.")
  private Path plot;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  void check() {
    if (threads < 1 || rounds < 1 || warmUp < 0) {
      throw new UsageException("--threads and --rounds are at least 1, --warm-up at least 0");
    }
  }

  long seed() {
    return seed;
  }

  int threads() {
    return threads;
  }

  int rounds() {
    return rounds;
  }

  Duration warmUp() {
    return Duration.ofMillis(warmUp);
  }

  /** A comparison of systems by these queries, as the options say. */
  SystemComparison comparison(Workload workload, List<WorkloadQuery> queries) {
    return new SystemComparison(workload, queries, threads, warmUp(), rounds, this::progress);
  }

  /** Runs a comparison; what a system cannot do ends the command. */
  static void run(SystemComparison comparison, SystemChoice systems, BenchFolder folder)
      throws IOException {
    try {
      comparison.run(systems.chosen(), folder.path());
    } catch (SQLException e) {
      throw new CommandException("a system that the archive is compared with failed: " + e);
    }
  }

  /** Gives all rows to a sink that no database is behind. */
  static void read(Workload workload, Workload.Sink sink) throws IOException {
    try {
      workload.read(sink);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void progress(String line) {
    System.err.println(line);
  }

  /** Prints the table, writes the plot and says where it is. */
  void show(String name, BenchResult table, SvgPlot picture) throws IOException {
    table.print(json);
    Path file = plot == null ? Path.of("bench-" + name + ".svg") : plot;
    picture.write(file);
    progress("plot: " + file);
  }
}
