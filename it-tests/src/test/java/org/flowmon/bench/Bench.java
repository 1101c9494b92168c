package org.flowmon.bench;

import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.Start;
import picocli.CommandLine;

/** The launcher's class for {@code flowmon bench}. */
public final class Bench {
  private static final String NAME = "flowmon bench";

  private Bench() {}

  /** Runs one benchmark and exits, like {@link Flowmon#main}. */
  public static void main(String[] args) {
    Start.run(() -> Flowmon.run(new BenchCommand(), NAME, args));
  }

  /** The command line with all benchmarks, for tests. */
  public static CommandLine commandLine() {
    return Flowmon.commandLine(new BenchCommand());
  }
}
