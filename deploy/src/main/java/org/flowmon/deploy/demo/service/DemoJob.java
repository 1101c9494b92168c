package org.flowmon.deploy.demo.service;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.deploy.embedded.EmbeddedServiceException;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.Role;
import org.flowmon.jobs.config.job.StartingOffsets;

/** The demo's job: both roles, the bundled analyses, checkpoints every two seconds. */
public final class DemoJob implements AutoCloseable {
  /** Short, so that history is up to date and the wait at the end is short. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(2);

  private static final int MAX_PARALLELISM = 128;

  private final EmbeddedFlink flink;
  private final JobID id;

  private DemoJob(EmbeddedFlink flink, JobID id) {
    this.flink = flink;
    this.id = id;
  }

  public static DemoJob submit(DemoServices services, DemoOptions options) {
    JobConfig config = config(services, options);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    List<AnalysisConfig> analyses = JobAnalyses.of(config);
    FlowmonJob.build(environment, config, analyses);
    return new DemoJob(services.flink(), services.flink().submit(environment, "flowmon demo"));
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
        null,
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

  /**
   * Fails if the job has failed.
   *
   * @throws org.flowmon.deploy.embedded.EmbeddedServiceException with the job's failure
   */
  public void check() {
    JobStatus status = flink.status(id);
    if (status.isGloballyTerminalState()) {
      flink.awaitEnd(id, Duration.ofSeconds(10));
      throw new IllegalStateException("the job has ended: " + status);
    }
  }

  public void cancel() {
    flink.cancel(id);
    flink.awaitEnd(id, Duration.ofSeconds(60));
  }

  /**
   * Ends the job if the demo failed. Otherwise the cluster would stop first, which the job logs at
   * length.
   */
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
