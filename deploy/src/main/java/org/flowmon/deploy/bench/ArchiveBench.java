package org.flowmon.deploy.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.flowmon.deploy.bench.archive.BenchSystem;
import org.flowmon.deploy.bench.archive.BenchSystemProvider;
import org.flowmon.deploy.bench.archive.CsvWorkload;
import org.flowmon.deploy.bench.archive.FlowmonSystem;
import org.flowmon.deploy.bench.archive.GeneratedWorkload;
import org.flowmon.deploy.bench.archive.SystemComparison;
import org.flowmon.deploy.bench.archive.Workload;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench archive}: loading and querying a week of flows, by the archive alone or,
 * with {@code --compare}, by other systems too, whose answers must be the same. Those systems come
 * with the tests of the whole; the launcher knows how.
 */
@Command(
    name = "archive",
    mixinStandardHelpOptions = true,
    description = {
      "Rows a second into the archive, bytes a row, and the time of its queries, warm.",
      "With --compare the same rows and queries go to DuckDB, SQLite and PostgreSQL too; answers"
          + " that differ are named and the exit code is 1."
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

  @Option(
      names = "--segment-rows",
      defaultValue = "1000000",
      description = "Rows of a segment of the archive; default ${DEFAULT-VALUE}.")
  private int segmentRows;

  @Option(
      names = "--threads",
      description = "Threads that a system may use for one query; default: the cores.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--warm-up",
      paramLabel = "MS",
      defaultValue = "500",
      description = "How long a query is run before it is timed; default ${DEFAULT-VALUE} ms.")
  private int warmUp;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Timed runs of a query once it is warm; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--compare", description = "Compare with other systems.")
  private boolean compare;

  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "NAME",
      description = "With --compare: only these, for example flowmon,duckdb.")
  private List<String> systems;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Put the data into this new folder, and leave them there.")
  private Path keep;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (rows < 1 || segmentRows < 1 || threads < 1 || rounds < 1 || warmUp < 0) {
      throw new UsageException(
          "--rows, --segment-rows, --threads and --rounds are at least 1, --warm-up at least 0");
    }
    List<BenchSystemProvider> chosen = chosen();
    Workload workload = workload();
    SystemComparison comparison =
        new SystemComparison(
            workload, threads, Duration.ofMillis(warmUp), rounds, System.err::println);
    Path folder = folder();
    try {
      comparison.run(chosen, folder);
    } catch (SQLException e) {
      throw new CommandException("a system that the archive is compared with failed: " + e);
    } finally {
      if (keep == null) {
        delete(folder);
      }
    }
    new ArchiveBenchReport(comparison, workload.description(), rounds).print(json);
    comparison.differences().forEach(line -> System.err.println("answers differ: " + line));
    return comparison.differences().isEmpty() ? ExitCodes.DONE : ExitCodes.NO;
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

  private List<BenchSystemProvider> chosen() {
    Map<String, BenchSystemProvider> all = new LinkedHashMap<>();
    all.put(FlowmonSystem.NAME, new Flowmon(segmentRows));
    if (compare) {
      ServiceLoader.load(BenchSystemProvider.class)
          .forEach(provider -> all.put(provider.name(), provider));
      if (all.size() == 1) {
        throw new CommandException(
            "the systems to compare with are not on the class path: run"
                + " ./flowmon bench archive --compare");
      }
    } else if (systems != null) {
      throw new UsageException("--systems belongs to --compare");
    }
    if (systems == null) {
      return List.copyOf(all.values());
    }
    List<BenchSystemProvider> chosen = new ArrayList<>();
    for (String name : systems) {
      if (!all.containsKey(name)) {
        throw new UsageException("no system " + name + "; there are " + all.keySet());
      }
      chosen.add(all.get(name));
    }
    return chosen;
  }

  private Path folder() throws IOException {
    if (keep == null) {
      return Files.createTempDirectory("flowmon-bench-archive-");
    }
    if (Files.exists(keep)) {
      throw new UsageException("--keep " + keep + " exists already");
    }
    return Files.createDirectories(keep);
  }

  private record Flowmon(int segmentRows) implements BenchSystemProvider {
    @Override
    public String name() {
      return FlowmonSystem.NAME;
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws IOException {
      return FlowmonSystem.create(folder, segmentRows, threads);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (var paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
