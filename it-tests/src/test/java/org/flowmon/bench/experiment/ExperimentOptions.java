package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.Workload;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** The common options of experiments, and the output of their results. */
public final class ExperimentOptions {
  private static final int ROUNDS = 5;

  @Option(names = "--seed", defaultValue = "42", description = "Seed of the rows.")
  private long seed;

  @Option(
      names = "--threads",
      description = "Threads that a system may use for one query; default: the cores.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--rounds",
      description = "Timed runs of each measurement; default " + ROUNDS + " where nothing is said.")
  private Integer rounds;

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

  public void check() {
    if (threads < 1 || rounds() < 1 || warmUp < 0) {
      throw new UsageException("--threads and --rounds are at least 1, --warm-up at least 0");
    }
  }

  public long seed() {
    return seed;
  }

  public int threads() {
    return threads;
  }

  public int rounds() {
    return rounds(ROUNDS);
  }

  /**
   * Timed runs of each measurement.
   *
   * @param otherwise the default
   */
  public int rounds(int otherwise) {
    return rounds == null ? otherwise : rounds;
  }

  public Duration warmUp() {
    return Duration.ofMillis(warmUp);
  }

  /** Returns a comparison of systems by these queries and the options. */
  public SystemComparison comparison(Workload workload, List<WorkloadQuery> queries) {
    return new SystemComparison(workload, queries, threads, warmUp(), rounds(), this::progress);
  }

  /** Runs a comparison; an error of a system ends the command. */
  public static void run(SystemComparison comparison, SystemChoice systems, BenchFolder folder)
      throws IOException {
    try {
      comparison.run(systems.chosen(), folder.path());
    } catch (SQLException e) {
      throw new CommandException("a system that the archive is compared with failed: " + e);
    }
  }

  /** Gives all rows to a sink without a database. */
  public static void read(Workload workload, Workload.Sink sink) throws IOException {
    try {
      workload.read(sink);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public void progress(String line) {
    System.err.println(line);
  }

  /** Prints the table, writes the plot and prints its path. */
  public void show(String name, BenchResult table, SvgPlot picture) throws IOException {
    table.print(json);
    draw(name, picture);
  }

  /** Prints several tables, which are one object in JSON, and writes the plots into one picture. */
  public void show(String name, List<BenchResult> tables, SvgPlot... pictures) throws IOException {
    print(name, tables);
    draw(name, pictures);
  }

  /** Prints tables, which are one object in JSON. */
  public void print(String name, List<BenchResult> tables) throws IOException {
    if (json) {
      BenchResult.merged("archive " + name, tables).print(true);
      return;
    }
    for (BenchResult table : tables) {
      table.print(false);
    }
  }

  private void draw(String name, SvgPlot... pictures) throws IOException {
    Path file = plot == null ? Path.of("bench-" + name + ".svg") : plot;
    SvgPlot.write(file, List.of(pictures));
    progress("plot: " + file);
  }
}
