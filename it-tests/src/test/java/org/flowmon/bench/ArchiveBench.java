package org.flowmon.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.flowmon.bench.archive.BenchSystemProvider;
import org.flowmon.bench.archive.CsvLoad;
import org.flowmon.bench.archive.CsvWorkload;
import org.flowmon.bench.archive.FlowmonSystem;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.Workload;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.experiment.AddressLookups;
import org.flowmon.bench.experiment.BatchSizes;
import org.flowmon.bench.experiment.Cancellations;
import org.flowmon.bench.experiment.Codecs;
import org.flowmon.bench.experiment.Differences;
import org.flowmon.bench.experiment.HistogramThreads;
import org.flowmon.bench.experiment.HistoryLengths;
import org.flowmon.bench.experiment.LookupSizes;
import org.flowmon.bench.experiment.RetentionRates;
import org.flowmon.bench.experiment.SegmentCounts;
import org.flowmon.bench.experiment.Statistics;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.scale.Scale;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench archive}: loads and queries a week of flows in the archive and, with {@code
 * --compare}, in other systems, whose answers must be equal.
 */
@Command(
    name = "archive",
    mixinStandardHelpOptions = true,
    description = {
      "Rows a second into the archive, bytes a row, and the time of its queries, warm.",
      "With --compare the same rows and queries go to DuckDB, SQLite and PostgreSQL too; answers"
          + " that differ are named and the exit code is 1.",
      "Each of the commands below is an experiment of its own, with a table and a plot."
    },
    subcommands = {
      AddressLookups.class,
      Cancellations.class,
      BatchSizes.class,
      Codecs.class,
      HistogramThreads.class,
      HistoryLengths.class,
      LookupSizes.class,
      RetentionRates.class,
      Scale.class,
      SegmentCounts.class,
      Statistics.class,
    })
public final class ArchiveBench implements Callable<Integer> {
  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows to generate; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(names = "--seed", defaultValue = "42", description = "Seed of the rows.")
  private long seed;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = "Rows of this CSV file instead of generated ones; see docs/performance.md.")
  private Path input;

  @Option(
      names = "--params",
      paramLabel = "FILE",
      description = "Parameters of the queries; default FILE.params.json beside FILE.csv.")
  private Path params;

  @Mixin private SystemChoice systems;

  @Option(
      names = "--threads",
      description = "Threads that a system may use for one query; default: the cores.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--warm-up",
      paramLabel = "MS",
      defaultValue = "2000",
      description = "How long a query is run before it is timed; default ${DEFAULT-VALUE} ms.")
  private int warmUp;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Timed runs of a query once it is warm; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Put the data into this new folder, and leave them there.")
  private Path keep;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (rows < 1 || threads < 1 || rounds < 1 || warmUp < 0) {
      throw new UsageException(
          "--rows, --threads and --rounds are at least 1, --warm-up at least 0");
    }
    List<BenchSystemProvider> chosen = systems.chosen();
    Workload workload = workload();
    SystemComparison comparison =
        new SystemComparison(
            workload,
            WorkloadQuery.of(workload.parameters()),
            threads,
            Duration.ofMillis(warmUp),
            rounds,
            System.err::println);
    CsvLoad.Loaded csv = null;
    try (BenchFolder folder = BenchFolder.of("archive", keep)) {
      comparison.run(chosen, folder.path());
      if (chosen.stream().anyMatch(system -> system.name().equals(FlowmonSystem.NAME))) {
        System.err.println("flowmon: loading from CSV");
        csv = CsvLoad.measure(workload, folder.path(), threads);
      }
    } catch (SQLException e) {
      throw new CommandException("a system that the archive is compared with failed: " + e);
    }
    new ArchiveBenchReport(comparison, workload.description(), rounds, csv).print(json);
    return Differences.report(comparison);
  }

  private Workload workload() throws IOException {
    if (input == null) {
      if (params != null) {
        throw new UsageException("--params belongs to --input");
      }
      return new GeneratedWorkload(rows, seed);
    }
    Path beside = params;
    if (beside == null) {
      String name = input.getFileName().toString();
      int dot = name.lastIndexOf('.');
      beside = input.resolveSibling((dot < 0 ? name : name.substring(0, dot)) + ".params.json");
    }
    return new CsvWorkload(input, beside);
  }
}
