package org.flowmon.bench.udaf;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.vector.Vector;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The common options of experiments on aggregate functions, and the output of their results. */
final class UdafOptions {
  private static final int QUICK = 50;
  private static final int QUICK_GROUPS = 1000;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of the tuples.")
  private long seed;

  @Option(
      names = "--rows",
      defaultValue = "1048576",
      description = "Tuples of an epoch; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Timed epochs after two; default ${DEFAULT-VALUE}. The least counts.")
  private int rounds;

  @Option(
      names = "--quick",
      description =
          "A fiftieth of the tuples and at most 1,000 groups, to see that it runs: its times say"
              + " nothing.")
  private boolean quick;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Where the plots go; default bench-udaf-NAME.svg in the working folder.")
  private Path plot;

  @Option(names = "--json", description = "One JSON object instead of tables.")
  private boolean json;

  void check() {
    if (rows < Vector.CAPACITY || rows > Tuples.MAX_ROWS || rounds < 1) {
      throw new UsageException(
          "--rows are " + Vector.CAPACITY + " \u2026 " + Tuples.MAX_ROWS + ", --rounds at least 1");
    }
  }

  long seed() {
    return seed;
  }

  /** Whether to run a quick smoke test; the option may come before or after the experiment. */
  boolean quick() {
    return quick
        || (command.parent() != null
            && command.parent().userObject() instanceof UdafBench all
            && all.isQuick());
  }

  int rounds() {
    return rounds;
  }

  /** The measured ones of these numbers of groups. */
  int[] groups(int... usual) {
    return quick() ? Arrays.stream(usual).filter(g -> g <= QUICK_GROUPS).toArray() : usual.clone();
  }

  /** Tuples of an epoch. */
  int rows() {
    return (int) Math.max(Vector.CAPACITY, quick() ? rows / QUICK : rows);
  }

  /** Reports a measured row. */
  void progress(Map<String, Object> row) {
    progress("%s", BenchResult.sentence(row));
  }

  void progress(String format, Object... values) {
    System.err.printf(format + "%n", values);
  }

  /** CPU time of this thread, without that of other processes. */
  static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Prints tables, which are one object in JSON, and writes the plots. */
  void show(String name, List<BenchResult> tables, SvgPlot... plots) throws IOException {
    if (json) {
      BenchResult.merged("udaf " + name, tables).print(true);
    } else {
      for (BenchResult table : tables) {
        table.print(false);
      }
    }
    Path file = plot == null ? Path.of("bench-udaf-" + name + ".svg") : plot;
    SvgPlot.write(file, List.of(plots));
    progress("plot: %s", file);
    if (quick()) {
      progress("--quick: figures say nothing");
    }
  }
}
