package org.flowmon.bench.udaf;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code flowmon bench udaf}: measures aggregate functions and the low level's table. */
@Command(
    name = "udaf",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "EXPERIMENT",
    description = {
      "Measures the two halves of aggregate functions and the low level's table, CPU time of one"
          + " thread.",
      "The experiments are those of \"Holistic UDAFs at Streaming Speeds\" (SIGMOD 2004)."
    },
    subcommands = {
      TableSizes.class,
      DrainPauses.class,
      Strategies.class,
      ScratchpadSizes.class,
      ValueCounts.class,
      GroupCounts.class,
      Thresholds.class,
      TopFive.class,
      Tuning.class,
    })
public final class UdafBench implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--quick",
      description = "As behind the experiment: to see that it runs, its figures say nothing.")
  private boolean quick;

  boolean isQuick() {
    return quick;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing what to measure");
  }
}
