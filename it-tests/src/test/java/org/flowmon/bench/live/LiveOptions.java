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

/** What every experiment on the live path can be told, and how it shows what it found. */
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

  /** To be called first: it also says what may be logged. */
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

  /** Whether it is only to be seen that it runs, said behind the experiment or before. */
  boolean quick() {
    return quick
        || (command.parent() != null
            && command.parent().userObject() instanceof LiveBench all
            && all.isQuick());
  }

  /**
   * Flows that are measured.
   *
   * @param otherwise where the user did not say
   */
  long flows(long otherwise) {
    return flows != null ? flows : quick() ? otherwise / QUICK : otherwise;
  }

  /** What a table says of a rate that must be reached: of few flows nothing. */
  String reached(boolean isReached) {
    return quick() ? "–" : isReached ? "yes" : "no";
  }

  void progress(String format, Object... values) {
    System.err.printf(format + "%n", values);
  }

  /** Prints tables, which are one object in JSON, and writes the plots, where there are any. */
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
