package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live history}: flows a second by length of windows, with lookups of each
 * window's history.
 */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = {
      "Flows a second of each analysis alone against the length of its windows, end to end: from a"
          + " filled topic to reports with their history of seven days.",
      "The archive holds the history and the flows themselves, so that no lookup waits for it. What"
          + " lies above the line reports windows of that many flows every second."
    })
public final class WindowHistory implements Callable<Integer> {
  private static final long FLOWS = 20_000_000;
  private static final long PAST = 5_000_000;

  @Mixin private LiveOptions options;
  @Mixin private WindowThroughput throughput;

  @Option(
      names = "--past",
      paramLabel = "FLOWS",
      description = "Flows of the seven days before; default " + PAST + ".")
  private Long past;

  @Override
  public Integer call() throws IOException {
    options.check();
    throughput.check();
    long flows = options.flows(FLOWS);
    long before = past != null ? past : options.quick() ? PAST / 50 : PAST;
    try (LiveCluster cluster = LiveCluster.start(options, "history")) {
      Path archive =
          throughput.flows(flows, options.seed()).fillWithPast(cluster, options, before, true);
      throughput.measure("history", "End to end with history", cluster, options, flows, archive);
    }
    return 0;
  }
}
