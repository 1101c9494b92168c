package org.flowmon.deploy.remote;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.HttpUrl;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.distributed.DistributedQuery;
import picocli.CommandLine.Option;

/** {@code --flink}: a cluster that answers queries over archives. */
public final class FlinkOption {
  @Option(
      names = "--flink",
      required = true,
      paramLabel = "URL",
      description = {
        "Flink's REST, as http://127.0.0.1:8081: a batch job there answers queries with groups. Its"
            + " TaskManagers must reach the archive by the same --archive."
      })
  private String flink;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of --flink that a query takes; default: all that are free.")
  private Optional<Integer> slots = Optional.empty();

  @Option(
      names = "--job-jar",
      paramLabel = "FILE",
      description = "The job's jar, for --flink; default: that which came with this command.")
  private Optional<Path> jobJar = Optional.empty();

  /** Throws if Flink does not answer, or has fewer free slots. */
  public DistributedQuery open() throws IOException {
    ServicesLog.quiet();
    URI place = HttpUrl.parse("--flink", flink, "http://127.0.0.1:8081");
    if (!"http".equals(place.getScheme())) {
      throw new UsageException("--flink takes http:// alone, found " + flink);
    }
    Path jar = JobJar.of(jobJar);
    int free =
        new HttpSource("Flink", place, Optional.empty())
            .json("/overview")
            .path("slots-available")
            .asInt();
    int tasks = slots.orElse(Math.max(1, free));
    if (tasks < 1) {
      throw new UsageException("--slots is at least 1");
    } else if (tasks > free) {
      throw new CommandException(
          "Flink at %s has %d free slots, and the query takes %d; start TaskManagers, or end jobs"
              .formatted(flink, free, tasks));
    }
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    int port = place.getPort() < 0 ? 80 : place.getPort();
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createRemoteEnvironment(
            place.getHost(), port, options, jar.toString());
    return new DistributedQuery(env, tasks);
  }
}
