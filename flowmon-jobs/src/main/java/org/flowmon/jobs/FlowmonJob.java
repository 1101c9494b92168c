package org.flowmon.jobs;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.alert.AlertResolves;
import org.flowmon.jobs.alert.AlertRules;
import org.flowmon.jobs.alert.Alerts;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.RetentionConfig;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.flowmon.jobs.control.AnalysesCoordinator;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.control.ControlledFactory;
import org.flowmon.jobs.history.HistoryFunction;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.LowLevelOperatorFactory;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.KeyGroupKeys;
import org.flowmon.jobs.merge.MergeOperator;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.quarantine.KafkaQuarantine;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportFunction;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.sink.archive.ArchiveSink;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.jobs.sink.kafka.KafkaStates;
import org.flowmon.jobs.sink.postgres.PostgresReports;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.site.StatesTopic;
import org.flowmon.jobs.site.centre.SiteStatesFactory;
import org.flowmon.jobs.site.centre.StatesSource;
import org.flowmon.jobs.source.FlowSource;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.source.SequenceCheckOperator;
import org.flowmon.jobs.window.WindowOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 *                                                              └─► webhook-alerts
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
  private static final Logger LOG = LoggerFactory.getLogger(FlowmonJob.class);
  private static final Duration WATERMARK_INTERVAL = Duration.ofMillis(10);
  private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(10);

  private FlowmonJob() {}

  /**
   * Adds the job to an environment, ready to be executed.
   *
   * @throws ConfigException if a query does not parse or the topic of flows cannot be found
   */
  public static void build(
      StreamExecutionEnvironment env, JobConfig config, List<AnalysisConfig> analyses) {
    configure(env, config);
    if (config.merge() != null) {
      config.job().budget().check(analyses);
      DataStream<StatesRecord> states = states(env, config);
      reports(mergedWindows(states, config, analyses), config, analyses, statesTopic(config));
      return;
    }
    FlowTopic topic = FlowTopic.lookUp(config.kafka());
    SingleOutputStreamOperator<PositionedBatch> flows = flows(env, config, topic);
    DataStream<Quarantined> refused = flows.getSideOutput(Quarantined.TAG);
    if (config.job().role().archives()) {
      refused =
          refused.union(
              archive(
                  flows,
                  config.archive(),
                  config.compactRows(),
                  config.retention(),
                  config.segments()));
    }
    KafkaQuarantine.write(refused, config.kafka());
    if (config.job().role().analyses()) {
      config.job().budget().check(analyses);
      reports(controlledWindows(flows, config, analyses), config, analyses, topic);
    }
  }

  /**
   * Sets the Flink options that the job needs. {@link #build} calls this; callers of {@link #flows}
   * call it themselves.
   */
  public static void configure(StreamExecutionEnvironment env, JobConfig config) {
    JobConfig.Settings job = config.job();
    Configuration options = new Configuration();
    options.set(PipelineOptions.GENERIC_TYPES, false);
    options.set(PipelineOptions.OBJECT_REUSE, true);
    // A report waits for a watermark and for the buffers of three exchanges. A buffer is sent when
    // it is full or this old. Records are batches and messages, so few buffers are flushed.
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

  /**
   * Reads flow batches from Kafka, each once. Refused messages go to the side output {@link
   * Quarantined#TAG}.
   */
  public static SingleOutputStreamOperator<PositionedBatch> flows(
      StreamExecutionEnvironment env, JobConfig config) {
    return flows(env, config, FlowTopic.lookUp(config.kafka()));
  }

  private static SingleOutputStreamOperator<PositionedBatch> flows(
      StreamExecutionEnvironment env, JobConfig config, FlowTopic topic) {
    // A reader without a partition would hold the watermark back forever.
    int readers = Math.min(env.getParallelism(), topic.partitions());
    return env.fromSource(
            FlowSource.of(config, topic),
            FlowSource.watermarks(config.job().disorderBound()),
            "flow-source")
        .uid("flow-source")
        .setParallelism(readers)
        .transform("sequence-check", PositionedBatch.TYPE, new SequenceCheckOperator())
        .uid("sequence-check")
        .setParallelism(readers);
  }

  private static FlowTopic statesTopic(JobConfig config) {
    JobConfig.Kafka kafka = config.kafka();
    return FlowTopic.lookUp(
        new JobConfig.Kafka(
            kafka.bootstrap(),
            config.merge().topic(),
            kafka.group(),
            kafka.startingOffsets(),
            null,
            kafka.properties()));
  }

  /** Reads the states that sites publish, in the order of the topic. */
  public static DataStream<StatesRecord> states(StreamExecutionEnvironment env, JobConfig config) {
    StatesTopic.createIfMissing(config.kafka().clientProperties(), config.merge().topic());
    return env.fromSource(
            StatesSource.of(config), WatermarkStrategy.noWatermarks(), "states-source")
        .uid("states-source")
        .setParallelism(1);
  }

  /**
   * Returns the results of live queries over the states of sites, as {@link #controlledWindows}
   * does over flows.
   */
  public static SingleOutputStreamOperator<WindowResult> mergedWindows(
      DataStream<StatesRecord> states, JobConfig config, List<AnalysisConfig> analyses) {
    int keyGroups = config.job().maxParallelism();
    analyses.forEach(analysis -> JobAnalyses.check(analysis, config));
    OneInputStreamOperatorFactory<StatesRecord, Partial> factory;
    AnalysisSet set;
    if (config.kafka().analysesTopic() == null) {
      set = new AnalysisSet(analyses, true); // before the last result sites have sent nothing
      factory = new SiteStatesFactory(set, config.merge(), config.job().arrivalAhead(), keyGroups);
    } else {
      AnalysesCoordinator.Settings settings = JobAnalyses.controlled(config, analyses);
      set = settings.analyses();
      factory =
          new ControlledFactory<>(
              new SiteStatesFactory(set, config.merge(), config.job().arrivalAhead(), keyGroups),
              settings);
    }
    LiveQuery.byId(set.running()); // a query error is thrown here, not by a task
    LOG.info(
        "merges the states of {}, of topic {} at {}, for {}",
        config.merge().sites(),
        config.merge().topic(),
        config.kafka().bootstrap(),
        set.running().stream().map(AnalysisConfig::name).toList());
    return merged(
        states.transform("site-states", Partial.TYPE, factory).uid("site-states").setParallelism(1),
        keyGroups,
        set,
        operator(set, config));
  }

  /** Returns the results of all analyses' live queries. */
  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows, JobConfig config, List<AnalysisConfig> analyses) {
    AnalysisSet set = new AnalysisSet(analyses);
    int keyGroups = config.job().maxParallelism();
    return windows(
        flows,
        keyGroups,
        set,
        new LowLevelOperatorFactory(set, keyGroups, config.job().arrivalAhead()),
        operator(set, config));
  }

  /**
   * Returns the results of all analyses' live queries, with this number of key groups and without
   * states of a site.
   */
  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows, int keyGroups, List<AnalysisConfig> analyses) {
    return windows(flows, keyGroups, analyses, UnaryOperator.identity());
  }

  /**
   * Returns the results of all analyses' live queries.
   *
   * @param between transforms the stream from the low level to the merge
   */
  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows,
      int keyGroups,
      List<AnalysisConfig> analyses,
      UnaryOperator<DataStream<Partial>> between) {
    AnalysisSet set = new AnalysisSet(analyses);
    return merged(
        between.apply(lowLevel(flows, set, new LowLevelOperatorFactory(set, keyGroups))),
        keyGroups,
        set,
        new WindowOperator(set));
  }

  /**
   * Returns the results of the live queries of analyses that the {@link ControlTopic} starts,
   * changes and stops. Without a control topic, only the configured analyses run. The topic's
   * present contents apply from the first flow on.
   */
  static SingleOutputStreamOperator<WindowResult> controlledWindows(
      DataStream<PositionedBatch> flows, JobConfig config, List<AnalysisConfig> analyses) {
    analyses.forEach(analysis -> JobAnalyses.check(analysis, config));
    if (config.kafka().analysesTopic() == null) {
      return windows(flows, config, analyses);
    }
    AnalysesCoordinator.Settings settings = JobAnalyses.controlled(config, analyses);
    int keyGroups = config.job().maxParallelism();
    return windows(
        flows,
        keyGroups,
        settings.analyses(),
        new ControlledFactory<>(
            new LowLevelOperatorFactory(
                settings.analyses(), keyGroups, config.job().arrivalAhead()),
            settings),
        operator(settings.analyses(), config));
  }

  private static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows,
      int keyGroups,
      AnalysisSet analyses,
      OneInputStreamOperatorFactory<PositionedBatch, Partial> lowLevel,
      WindowOperator operator) {
    return merged(lowLevel(flows, analyses, lowLevel), keyGroups, analyses, operator);
  }

  private static DataStream<Partial> lowLevel(
      DataStream<PositionedBatch> flows,
      AnalysisSet analyses,
      OneInputStreamOperatorFactory<PositionedBatch, Partial> lowLevel) {
    LiveQuery.byId(analyses.running()); // a query error is thrown here, not by a task
    return flows
        .transform("low-level", Partial.TYPE, lowLevel)
        .uid("low-level")
        .setParallelism(flows.getParallelism());
  }

  private static SingleOutputStreamOperator<WindowResult> merged(
      DataStream<Partial> partials, int keyGroups, AnalysisSet analyses, WindowOperator operator) {
    return partials
        .keyBy(new KeyGroupKeys(keyGroups))
        .transform("merge", Partial.TYPE, new MergeOperator(analyses))
        .uid("merge")
        .global()
        .transform("windows", WindowResult.TYPE, operator)
        .uid("windows")
        // Only its parallelism is one. Its maximum parallelism stays the job's: if the job runs
        // with one task, Flink chains the history to this operator. A chain has one maximum, and
        // Flink refuses a state that was written with another.
        .setParallelism(1);
  }

  /**
   * Returns the operator that makes results of parts and, if a site is configured, publishes its
   * states.
   */
  private static WindowOperator operator(AnalysisSet analyses, JobConfig config) {
    if (config.site() == null) {
      return new WindowOperator(analyses);
    }
    LOG.info(
        "site {} publishes the states of {} to topic {} at {}",
        config.site().name(),
        analyses.running().stream()
            .filter(AnalysisConfig::publishesStates)
            .map(AnalysisConfig::name)
            .toList(),
        config.site().topic(),
        config.site().bootstrap());
    boolean fromOldest = config.kafka().startingOffsets() == StartingOffsets.EARLIEST;
    Duration disorder = config.job().disorderBound();
    return new WindowOperator(analyses, config.site().name(), fromOldest ? null : disorder);
  }

  /**
   * Archives all flows.
   *
   * @param retention the limits of the archive from now on; null: the archive's own
   * @param segments how segments are sealed from now on; null: the archive's own settings
   * @return the flows that cannot be archived
   */
  public static DataStream<Quarantined> archive(
      DataStream<PositionedBatch> flows,
      ArchiveLocation location,
      int compactRows,
      RetentionConfig retention,
      String segments) {
    SingleOutputStreamOperator<ArchiveCommittable> sealed =
        ArchiveSink.seal(flows, location, segments).uid("archive-writer");
    ArchiveSink.commit(sealed, location, compactRows, retention).uid("archive-committer");
    return sealed.getSideOutput(Quarantined.TAG);
  }

  /**
   * Makes reports of windows with their history, and sends reports and alerts to Kafka, PostgreSQL
   * and webhooks.
   */
  public static void reports(
      SingleOutputStreamOperator<WindowResult> windows,
      JobConfig config,
      List<AnalysisConfig> analyses,
      FlowTopic topic) {
    if (config.site() != null) {
      KafkaStates.publish(windows.getSideOutput(WindowOperator.STATES), config.site());
    }
    DataStream<Report> reports =
        reports(
                HistoryFunction.apply(
                        windows,
                        config.archive(),
                        analyses,
                        config.job().historyDelay(),
                        topic,
                        config.job().disorderBound())
                    .setParallelism(config.job().reportTasks()),
                analyses,
                config.merge() == null)
            .setParallelism(config.job().reportTasks());
    for (AnalysisConfig analysis : analyses) {
      AlertRules.check(analysis);
      AlertRules.checkSinks(analysis, config);
    }
    KafkaReports.createTopics(config.kafka(), analyses);
    KafkaReports.createTopic(config.kafka(), AlertResolves.TOPIC);
    KafkaReports.messages(reports, analyses)
        .name("kafka-messages")
        .uid("kafka-messages")
        .sinkTo(KafkaReports.sink(config.kafka()))
        .name("kafka-reports")
        .uid("kafka-reports");
    if (config.postgres() != null) {
      PostgresReports.chosen(reports, analyses)
          .name("postgres-choice")
          .uid("postgres-choice")
          .keyBy(Report::analysis)
          .sinkTo(new PostgresReports(config.postgres()))
          .name("postgres-reports")
          .uid("postgres-reports");
    }
    Alerts.send(Alerts.of(reports, config, analyses), config);
  }

  /**
   * Makes the reports of windows with their history.
   *
   * @param archive the history; null if none is configured
   * @param delay of the history of analyses that set none
   * @param topic whose flows the archive holds
   * @param disorder how far an arrival may lie behind the largest of its partition
   * @param pace how fast windows come
   */
  public static SingleOutputStreamOperator<Report> reports(
      DataStream<WindowResult> windows,
      ArchiveLocation archive,
      List<AnalysisConfig> analyses,
      Duration delay,
      FlowTopic topic,
      Duration disorder,
      HistoryFunction.Pace pace) {
    return reports(
        HistoryFunction.apply(windows, archive, analyses, delay, topic, disorder, pace),
        analyses,
        true);
  }

  private static SingleOutputStreamOperator<Report> reports(
      SingleOutputStreamOperator<WindowHistory> windows,
      List<AnalysisConfig> analyses,
      boolean hasFlows) {
    return windows
        .name("history")
        .uid("history")
        .process(new ReportFunction(analyses, hasFlows), Report.TYPE)
        .name("report")
        .uid("report");
  }
}
