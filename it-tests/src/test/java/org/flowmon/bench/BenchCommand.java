package org.flowmon.bench;

import org.flowmon.bench.collect.CollectBench;
import org.flowmon.bench.hostile.HostileBench;
import org.flowmon.bench.live.LiveBench;
import org.flowmon.bench.udaf.UdafBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code flowmon bench}: measures the speed of the parts on this machine. */
@Command(
    name = "flowmon bench",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "BENCH",
    description = "Measures how fast a part is on this machine.",
    subcommands = {
      LiveBench.class,
      CollectBench.class,
      HostileBench.class,
      SealBench.class,
      ArchiveBench.class,
      UdafBench.class
    })
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing what to measure");
  }
}
