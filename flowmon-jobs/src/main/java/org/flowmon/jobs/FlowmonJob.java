package org.flowmon.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.MergeConfig;
import org.flowmon.jobs.quarantine.KafkaQuarantine;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * The Flink job. The graph is the same whatever analyses run in it: they are data of its operators.
 *
 * <pre>
 *   Kafka topic "flows", a partition's watermark on arrival
 *     │  one chain per task, no copy of a batch
 *     ▼
 *   flow-source ──► sequence-check ──┬─► archive-writer ──► archive-committer   (one task)
 *                                    ├─► kafka-quarantine   (one task)   refused messages
 *                                    ▼
 *                                    low-level          all live queries: filter, pane, fixed table
 *                                          │
 *                                          │ partial groups, by key group
 *                                          ▼
 *                                        merge            exact groups of all queries, raw keyed state
 *                                          │
 *                                          │ one part per window and task
 *                                          ▼
 *                                        windows          one task: merges the parts of each window
 *                                          │
 *                                          ▼
 *                                        history          asynchronous: adds the archive's history
 *                                          ▼              (chained to the windows by default)
 *                                        report ──┬─► kafka-messages ──► kafka-reports
 *                                                 ├─► postgres-choice ──► postgres-reports   by analysis
 *                                                 └─► alerts ──┬─► alert-messages ──► kafka-alerts   (one task)
 *                                                              ├─► webhook-alerts
 *                                                              └─► postgres-alerts
 * </pre>
 *
 * <p>The job of a site also publishes states of its windows. A job that merges sites reads them in
 * place of flows:
 *
 * <pre>
 *   windows ──► kafka-states        one task
 *
 *   states-source ──► site-states   one task: the sites' states as partial groups; then merge … as above
 * </pre>
 */
public final class FlowmonJob {
  private static final Duration WATERMARK_INTERVAL = Duration.ofMillis(10);
  private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(10);

  private FlowmonJob() {}

  /** Throws {@link ConfigException} if a query does not parse or the flows' topic is missing. */
  public static void build(
      StreamExecutionEnvironment env, JobConfig config, List<AnalysisConfig> analyses) {
    configure(env, config);
    MergeConfig merge = config.merge();
    if (merge != null) {
      config.job().budget().check(analyses);
      DataStream<StatesRecord> states = SitesPipeline.states(env, config, merge);
      ReportPipeline.reports(
          SitesPipeline.mergedWindows(states, config, merge, analyses),
          config,
          analyses,
          SitesPipeline.statesTopic(config, merge));
      return;
    }
    FlowTopic topic = FlowTopic.lookUp(config.kafka());
    SingleOutputStreamOperator<PositionedBatch> flows = FlowPipeline.flows(env, config, topic);
    DataStream<Quarantined> refused = flows.getSideOutput(Quarantined.TAG);
    if (config.job().role().archives()) {
      refused =
          refused.union(
              FlowPipeline.archive(
                  flows,
                  Objects.requireNonNull(config.archive(), "archive: is missing"),
                  config.compactRows(),
                  config.retention(),
                  config.segments()));
    }
    KafkaQuarantine.write(refused, config.kafka());
    if (config.job().role().analyses()) {
      config.job().budget().check(analyses);
      ReportPipeline.reports(
          WindowPipeline.controlledWindows(flows, config, analyses), config, analyses, topic);
    }
  }

  /** Sets the needed Flink options: {@link #build} does, {@link FlowPipeline#flows} does not. */
  public static void configure(StreamExecutionEnvironment env, JobConfig config) {
    JobConfig.Settings job = config.job();
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    options.set(PipelineOptions.OBJECT_REUSE, true);
    // A report waits for a watermark and the buffers of three exchanges. A buffer is sent when full
    // or this old; records are batches and messages, so few are flushed.
    options.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, WATERMARK_INTERVAL);
    options.set(ExecutionOptions.BUFFER_TIMEOUT, BUFFER_TIMEOUT);
    options.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    if (job.checkpointDirectory() != null) {
      options.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, job.checkpointDirectory());
    }
    env.configure(options);
    env.setMaxParallelism(job.maxParallelism());
    if (job.parallelism() > 0) {
      env.setParallelism(job.parallelism());
    }
    env.enableCheckpointing(job.checkpointInterval().toMillis(), CheckpointingMode.EXACTLY_ONCE);
  }
}
