package org.flowmon.deploy.demo.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.Failure;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.Role;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.flowmon.jobs.embedded.EmbeddedServiceException;

/**
 * The demo's job: both roles, the bundled analyses, checkpoints every two seconds. It does not
 * restart: if it fails, the demo says why at once, and ends.
 */
public final class DemoJob implements AutoCloseable {
  /** Short, so that history is up to date and the wait at the end is short. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(2);

  private static final int MAX_PARALLELISM = 128;
  private static final long TOLD_SECONDS = 30;
  private static final int MAX_CAUSES = 100;

  private final EmbeddedFlink flink;
  private final JobID id;
  private final Path log;
  // Done once people are told of a failure and the log is written.
  private final CompletableFuture<Void> failed = new CompletableFuture<>();

  private DemoJob(EmbeddedFlink flink, JobID id, Path log) {
    this.flink = flink;
    this.id = id;
    this.log = log;
  }

  /** {@code told} takes the line for people if the job fails, on another thread. */
  public static DemoJob submit(DemoServices services, DemoOptions options, Consumer<String> told)
      throws IOException {
    if (options.inputs().isEmpty()) {
      DemoAnalyses.write(options.analyses());
    }
    JobConfig config = config(services, options);
    Configuration noRestart = new Configuration();
    noRestart.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(noRestart);
    List<AnalysisConfig> analyses = JobAnalyses.of(config);
    FlowmonJob.build(environment, config, analyses);
    JobID id = services.flink().submit(environment, "flowmon demo");
    return watch(services.flink(), id, options.jobLog(), told);
  }

  static DemoJob watch(EmbeddedFlink flink, JobID id, Path log, Consumer<String> told) {
    DemoJob job = new DemoJob(flink, id, log);
    flink.onFailure(id, failure -> job.fail(failure, told));
    return job;
  }

  private void fail(Throwable failure, Consumer<String> told) {
    try {
      told.accept("the job failed: " + reason(failure) + "; " + written(log, failure));
    } finally {
      failed.complete(null);
    }
  }

  /** The innermost cause in one line: those around it are Flink's, and say no more. */
  private static String reason(Throwable failure) {
    Throwable innermost = failure;
    for (int depth = 0; depth < MAX_CAUSES && innermost.getCause() != null; depth++) {
      innermost = innermost.getCause(); // which may lead back to one before
    }
    return Failure.of(innermost).line();
  }

  /** Writes the failure with causes and traces into the log; returns which file that is. */
  static String written(Path log, Throwable failure) {
    try {
      String trace = ExceptionUtils.stringifyException(failure);
      Files.writeString(log, Instant.now() + " the job failed\n" + trace);
      return "its log is " + log;
    } catch (IOException e) {
      return "its log could not be written to " + log + ": " + e.getMessage();
    }
  }

  private static JobConfig config(DemoServices services, DemoOptions options) {
    return new JobConfig(
        new JobConfig.Kafka(
            services.kafka().bootstrapServers(),
            DemoServices.FLOWS,
            "flowmon-demo",
            StartingOffsets.EARLIEST,
            JobConfig.Kafka.ANALYSES_TOPIC,
            Map.of()),
        ArchiveLocation.of(options.archive()),
        JobConfig.DEFAULT_COMPACT_ROWS,
        null,
        null,
        new JobConfig.Postgres(
            services.postgres().jdbcUrl(),
            services.postgres().user(),
            services.postgres().passwordFile().toString()),
        options.inputs().isEmpty() ? options.analyses().toString() : null,
        List.of(),
        new JobConfig.Settings(
            Role.ALL,
            options.parallelism(),
            MAX_PARALLELISM,
            CHECKPOINTS,
            options.flink().resolve("checkpoints").toUri().toString(),
            Duration.ofMillis(
                100), // the collector's arrival ascends; only partitions' batches interleave
            false));
  }

  /** Throws {@link CommandException} if the job has failed. */
  public void check() {
    JobStatus status = flink.status(id);
    if (failed.isDone() || status == JobStatus.FAILING || status == JobStatus.FAILED) {
      var unused = failed.completeOnTimeout(null, TOLD_SECONDS, TimeUnit.SECONDS).join();
      throw new CommandException("the demo ended early, because its job failed: see " + log);
    }
    if (status.isGloballyTerminalState()) {
      throw new IllegalStateException("the job has ended: " + status);
    }
  }

  public void cancel() {
    flink.cancel(id);
    flink.awaitEnd(id, Duration.ofSeconds(60));
  }

  /** Ends the job if the demo failed: if the cluster stopped first, it would log that at length. */
  @Override
  public void close() {
    try {
      if (!flink.status(id).isGloballyTerminalState()) {
        cancel();
      }
    } catch (EmbeddedServiceException e) {
      // The demo's own failure is the one to report; the cluster is closed next.
    }
  }
}
