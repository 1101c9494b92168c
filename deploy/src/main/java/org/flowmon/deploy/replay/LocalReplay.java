package org.flowmon.deploy.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.FileUtils;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.Failure;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.source.PositionedBatch;
import org.jspecify.annotations.Nullable;

/** A replay in this process. It reads the archive and writes nothing. */
public final class LocalReplay implements AutoCloseable {
  private static final int MAX_PARALLELISM = 128;
  private static final int MAX_CAUSES = 100;

  // The cluster's tasks, in this process, find the listener here by the replay's name.
  private static final Map<String, ReplayListener> LISTENERS = new ConcurrentHashMap<>();

  private final String name = UUID.randomUUID().toString();
  private final Path scratch; // Flink's temporary files
  private final EmbeddedFlink flink;
  private final JobID job;

  /**
   * Throws {@link IOException} if the archive cannot be opened.
   *
   * @throws org.flowmon.jobs.embedded.EmbeddedServiceException if Flink does not start
   */
  public LocalReplay(ReplaySpec spec, int parallelism, ReplayListener listener) throws IOException {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    options.set(PipelineOptions.OBJECT_REUSE, true);
    options.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    env.configure(options);
    env.setParallelism(parallelism);
    env.setMaxParallelism(MAX_PARALLELISM);
    SingleOutputStreamOperator<PositionedBatch> flows =
        Replay.flows(env, spec)
            .map(new Count(name, spec.analysis()))
            .returns(PositionedBatch.TYPE)
            .setParallelism(1);
    Replay.reports(flows, spec, MAX_PARALLELISM)
        .transform("report-order", Report.TYPE, new ReportOrder(name, spec.analysis()))
        .setParallelism(1)
        .sinkTo(new DiscardingSink<>())
        .setParallelism(1);
    this.scratch = Files.createTempDirectory("flowmon-replay-");
    LISTENERS.put(name, listener);
    EmbeddedFlink started = null;
    try {
      started = EmbeddedFlink.start(scratch, parallelism);
      this.job = started.submit(env, "flowmon replay of " + spec.analysis().name());
      this.flink = started;
    } catch (RuntimeException e) {
      if (started != null) {
        started.close();
      }
      forget();
      throw e;
    }
  }

  /** What a replay takes of a job's configuration if there is none: its delays and bounds. */
  public static JobConfig withoutJob() {
    return JobConfig.parse("defaults", "kafka: {bootstrap: none}\njob: {role: analyses}");
  }

  static ReplayListener listener(String replay) {
    ReplayListener listener = LISTENERS.get(replay);
    if (listener == null) {
      throw new IllegalStateException("replay " + replay + " has ended, or is of another process");
    }
    return listener;
  }

  /**
   * Waits for at most {@code limit}; returns whether the replay has ended.
   *
   * @throws CommandException with the reason if it failed
   */
  public boolean await(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!flink.status(job).isGloballyTerminalState()) {
      if (System.nanoTime() >= end) {
        return false;
      }
      Thread.sleep(20);
    }
    JobStatus status;
    try {
      status = flink.awaitEnd(job, Duration.ofSeconds(10));
    } catch (EmbeddedServiceException e) {
      throw new CommandException("the replay failed: " + reason(e));
    }
    if (status != JobStatus.FINISHED) {
      throw new IllegalStateException("the replay has ended before its time: " + status);
    }
    return true;
  }

  /** Of the causes, those around what flowmon says are Flink's. */
  private static String reason(Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; depth < MAX_CAUSES && at.getCause() != null; depth++) {
      at = at.getCause(); // which may lead back to one before
      if (at instanceof IllegalStateException
          && String.valueOf(at.getMessage()).startsWith("analysis ")) {
        return String.valueOf(at.getMessage());
      }
    }
    return Failure.of(at).line();
  }

  @Override
  public void close() {
    try {
      flink.close();
    } finally {
      forget();
    }
  }

  private void forget() {
    LISTENERS.remove(name);
    FileUtils.deleteDirectoryQuietly(scratch.toFile());
  }

  private static final class Count implements MapFunction<PositionedBatch, PositionedBatch> {
    private static final long serialVersionUID = 1L;

    private final String replay;
    private final AnalysisConfig analysis;
    private transient @Nullable LateFlows late; // from the first batch on

    Count(String replay, AnalysisConfig analysis) {
      this.replay = replay;
      this.analysis = analysis;
    }

    @Override
    public PositionedBatch map(PositionedBatch batch) {
      if (late == null) {
        late = new LateFlows(LiveQuery.window(analysis));
      }
      listener(replay).flows(batch.batch().rows(), late.of(batch.batch()));
      return batch;
    }
  }
}
