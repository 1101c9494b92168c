package org.flowmon.bench.experiment;

import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.deploy.command.ExitCodes;

/** Reports systems that answer differently. */
public final class Differences {
  private Differences() {}

  /** Prints the differences and returns the exit code. */
  public static int report(SystemComparison comparison) {
    comparison.differences().forEach(line -> System.err.println("answers differ: " + line));
    return comparison.differences().isEmpty() ? ExitCodes.DONE : ExitCodes.NO;
  }
}
