package org.flowmon.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.experiment.ExperimentOptions;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.FailureHandler;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon bench archive scale}: builds a large archive and queries it in a separate JVM. */
@Command(
    name = "scale",
    mixinStandardHelpOptions = true,
    description = {
      "Loads a large archive as checkpoints do and asks it: load rate from the first million rows"
          + " to the last, bytes by kind, time to open, queries warm and with nothing in memory,"
          + " memory used. Queries run in a JVM of their own with the heap that --heap says.",
      "--rounds is 100 here where nothing is said."
    })
public final class Scale implements Callable<Integer> {
  private static final String NAME = "scale";
  private static final int SHOWN_RATES = 10;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows of the archive; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--days",
      defaultValue = "28",
      description = "Days that the rows are spread over; default ${DEFAULT-VALUE}.")
  private int days;

  @Option(
      names = "--commit-rows",
      defaultValue = "250000",
      description = "Rows of a commit; default ${DEFAULT-VALUE}.")
  private int commitRows;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Build the archive here and leave it, or take the one that is here.")
  private Path directory;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "Heap of the JVM that asks, as of -Xmx; default ${DEFAULT-VALUE}.")
  private String heap;

  @Option(
      names = "--only-queries",
      description = "Ask the archive of --dir in this JVM, and nothing else.")
  private boolean onlyQueries;

  /** Runs the command in the JVM that queries. */
  public static void main(String[] arguments) {
    FailureHandler failures = new FailureHandler(new CommandLine.RunLast());
    System.exit(
        new CommandLine(new Scale())
            .setExecutionStrategy(failures)
            .setExecutionExceptionHandler(failures)
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1
        || days < 1
        || days > 366
        || commitRows < 1
        || (onlyQueries && directory == null)) {
      throw new UsageException(
          "--rows and --commit-rows are at least 1, --days 1 … 366; --only-queries needs --dir");
    }
    if (onlyQueries) {
      options.print(NAME, new ScaleQueries(ScaleArchive.read(directory), options).measure());
      return ExitCodes.DONE;
    }
    if (directory != null && Files.exists(directory)) {
      ScaleArchive found = ScaleArchive.read(directory);
      options.progress(String.format("%s has %,d rows already", directory, found.rows()));
      measure(found);
      return ExitCodes.DONE;
    }
    try (BenchFolder folder = BenchFolder.of(NAME, directory)) {
      measure(
          ScaleLoad.build(
              folder.path(), rows, options.seed(), days, commitRows, options::progress));
    }
    return ExitCodes.DONE;
  }

  private void measure(ScaleArchive archive) throws IOException {
    List<String> arguments =
        List.of(
            "--only-queries",
            "--json",
            "--dir=" + archive.directory(),
            "--threads=" + options.threads(),
            "--rounds=" + options.rounds(ScaleQueries.RUNS),
            "--warm-up=" + options.warmUp().toMillis());
    List<BenchResult> tables = new ArrayList<>();
    tables.add(archive.loading());
    tables.add(some(archive.rates()));
    tables.addAll(BenchResult.read(ChildJvm.run(Scale.class, heap, arguments)));
    SvgPlot plot = new SvgPlot("Load rate against rows", "rows", false, "rows/s", false);
    for (Map<String, Object> row : archive.rates().rows()) {
      double at = (long) row.get("rows");
      plot.point("load", at, (double) row.get("rows_per_second"));
      plot.point("load and merging", at, (double) row.get("with_merging_rows_per_second"));
    }
    options.show(NAME, tables, plot);
  }

  /** The first and the last rates, and some between. */
  private static BenchResult some(BenchResult rates) {
    List<Map<String, Object>> all = rates.rows();
    BenchResult some = new BenchResult(rates.bench());
    int step = Math.max(1, all.size() / SHOWN_RATES);
    for (int i = 0; i < all.size(); i++) {
      if (i % step == 0 || i == all.size() - 1) {
        some.row(all.get(i));
      }
    }
    return some;
  }
}
