package org.flowmon.bench.live;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code flowmon bench live windows}: flows a second by length of windows. */
@Command(
    name = "windows",
    mixinStandardHelpOptions = true,
    description = {
      "Flows a second of each analysis alone against the length of its windows, from a filled topic"
          + " to its reports, without history.",
      "What lies above the line reports windows of that many flows every second."
    })
public final class WindowSizes implements Callable<Integer> {
  private static final long FLOWS = 20_000_000;

  @Mixin private LiveOptions options;
  @Mixin private WindowThroughput throughput;

  @Override
  public Integer call() throws IOException {
    options.check();
    throughput.check();
    long flows = options.flows(FLOWS);
    try (LiveCluster cluster = LiveCluster.start(options, "windows")) {
      throughput.flows(flows, options.seed()).fill(cluster, options);
      throughput.measure(
          "windows", "Throughput against window size", cluster, options, flows, null);
    }
    return 0;
  }
}
