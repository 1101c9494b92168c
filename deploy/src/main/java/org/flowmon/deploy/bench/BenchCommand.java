package org.flowmon.deploy.bench;

import org.flowmon.deploy.bench.collect.CollectBench;
import org.flowmon.deploy.bench.hostile.HostileBench;
import org.flowmon.deploy.bench.live.LiveBench;
import org.flowmon.deploy.bench.udaf.UdafBench;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code flowmon bench}: how fast the parts are on this machine. */
@Command(
    name = "bench",
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
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing what to measure");
  }
}
