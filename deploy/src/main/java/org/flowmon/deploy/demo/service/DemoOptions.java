package org.flowmon.deploy.demo.service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The options of a demo.
 *
 * @param duration how long the generator sends; unused with inputs
 * @param inputs files to read; empty for the generator
 * @param json whether standard output holds one JSON object and nothing else
 * @param directory the parent of all files; new or empty
 * @param historyFlows generated flows of the two weeks before, 0 for none
 */
public record DemoOptions(
    Duration duration,
    long flowsPerSecond,
    List<Path> inputs,
    boolean json,
    Path directory,
    long seed,
    long historyFlows,
    int parallelism) {
  public static final int HISTORY_DAYS = 14;

  public DemoOptions {
    inputs = List.copyOf(inputs);
    if (duration.isNegative()
        || duration.isZero()
        || flowsPerSecond < 1
        || historyFlows < 0
        || parallelism < 1) {
      throw new IllegalArgumentException(
          "demo for "
              + duration
              + " at "
              + flowsPerSecond
              + " flows/s with "
              + historyFlows
              + " flows of history and parallelism "
              + parallelism
              + ": expected a time, a rate and a parallelism above 0");
    }
  }

  public Path archive() {
    return directory.resolve("archive");
  }

  /** The folder of the analyses; without one the job runs the bundled ones. */
  Path analyses() {
    return directory.resolve("analyses");
  }

  Path jobLog() {
    return directory.resolve("job.log");
  }

  Path kafka() {
    return directory.resolve("kafka");
  }

  public Path postgres() {
    return directory.resolve("postgres");
  }

  Path flink() {
    return directory.resolve("flink");
  }
}
