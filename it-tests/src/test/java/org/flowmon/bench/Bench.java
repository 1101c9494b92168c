package org.flowmon.bench;

import java.util.List;
import org.flowmon.bench.harness.Harness;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.Start;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The launcher's class for {@code flowmon bench}: measures the speed of the parts. */
public final class Bench {
  private static final String NAME = "flowmon bench";
  private static final List<String> COMMANDS =
      List.of(
          "live",
          "collect",
          "import",
          "hostile",
          "seal",
          "archive",
          "systems",
          "udaf",
          "detection",
          "serve");

  private Bench() {}

  /** Runs one benchmark and exits, like {@link Flowmon#main}. */
  public static void main(String[] args) {
    Start.run(() -> Flowmon.run(spec(), NAME, args));
  }

  /** The command line with all benchmarks, for tests. */
  public static CommandLine commandLine() {
    return Flowmon.commandLine(spec());
  }

  private static CommandSpec spec() {
    CommandSpec spec = CommandSpec.forAnnotatedObject(new Benchmarks());
    COMMANDS.forEach(name -> spec.addSubcommand(name, Harness.command(name)));
    return spec;
  }

  @Command(
      name = NAME,
      mixinStandardHelpOptions = true,
      synopsisSubcommandLabel = "BENCH",
      description = "Measures how fast a part is on this machine.")
  private static final class Benchmarks implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      throw new ParameterException(spec.commandLine(), "Missing what to measure");
    }
  }
}
