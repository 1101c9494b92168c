package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The common options of experiments on the live path, and the output of their results. */
final class LiveOptions {
  private static final int QUICK = 50;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of the flows.")
  private long seed;

  @Option(names = "--parallelism", description = "Parallelism of the job; default: the cores.")
  private int parallelism = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--partitions",
      defaultValue = "4",
      description = "Partitions of the topic; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--flows",
      description = "Flows that are measured; what is usual differs from experiment to experiment.")
  private Long flows;

  @Option(
      names = "--quick",
      description = "A fiftieth of the flows, to see that it runs: its figures say nothing.")
  private boolean quick;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Where the plot goes; default bench-live-NAME.svg in the working folder.")
  private Path plot;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  /** Checks the options. Call it first: it also sets the log level. */
  void check() {
    ServicesLog.quiet();
    if (parallelism < 1 || partitions < 1 || (flows != null && flows < FlowWriter.BATCH_ROWS)) {
      throw new UsageException(
          "--parallelism and --partitions are at least 1, --flows at least "
              + FlowWriter.BATCH_ROWS);
    }
  }

  long seed() {
    return seed;
  }

  int parallelism() {
    return parallelism;
  }

  int partitions() {
    return partitions;
  }

  /** Whether to run a quick smoke test; the option may come before or after the experiment. */
  boolean quick() {
    return quick
        || (command.parent() != null
            && command.parent().userObject() instanceof LiveBench all
            && all.isQuick());
  }

  /**
   * The number of measured flows.
   *
   * @param otherwise the default
   */
  long flows(long otherwise) {
    return flows != null ? flows : quick() ? otherwise / QUICK : otherwise;
  }

  /** A table's cell for a required rate; a quick run has none. */
  String reached(boolean isReached) {
    return quick() ? "–" : isReached ? "yes" : "no";
  }

  void progress(String format, Object... values) {
    System.err.printf(format + "%n", values);
  }

  /** Prints tables, which are one object in JSON, and writes the plots, if any. */
  void show(String name, List<BenchResult> tables, SvgPlot... plots) throws IOException {
    if (json) {
      BenchResult.merged("live " + name, tables).print(true);
    } else {
      for (BenchResult table : tables) {
        table.print(false);
      }
    }
    if (plots.length > 0) {
      Path file = plot == null ? Path.of("bench-live-" + name + ".svg") : plot;
      SvgPlot.write(file, List.of(plots));
      progress("plot: %s", file);
    }
    if (quick()) {
      progress("--quick: figures say nothing");
    }
  }
}
