package org.flowmon.jobs;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.StartingOffsets;
import org.flowmon.jobs.control.AnalysesCoordinator;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.control.ControlledFactory;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.LowLevelOperatorFactory;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.KeyGroupKeys;
import org.flowmon.jobs.merge.MergeOperator;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.window.WindowOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From flows to the results of windows: the low level, the merge and the windows' task. */
public final class WindowPipeline {
  private static final Logger LOG = LoggerFactory.getLogger(WindowPipeline.class);

  private WindowPipeline() {}

  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows, JobConfig config, List<AnalysisConfig> analyses) {
    AnalysisSet set = new AnalysisSet(analyses, false, config.enrichment());
    int keyGroups = config.job().maxParallelism();
    return windows(
        flows,
        keyGroups,
        set,
        new LowLevelOperatorFactory(set, keyGroups, config.job().arrivalAhead()),
        operator(set, config));
  }

  /** The results of all live queries, with this many key groups and without states of a site. */
  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows, int keyGroups, List<AnalysisConfig> analyses) {
    return windows(flows, keyGroups, new AnalysisSet(analyses), UnaryOperator.identity());
  }

  /** The results of all live queries; {@code between} is put between low level and merge. */
  public static SingleOutputStreamOperator<WindowResult> windows(
      DataStream<PositionedBatch> flows,
      int keyGroups,
      AnalysisSet set,
      UnaryOperator<DataStream<Partial>> between) {
    return merged(
        between.apply(lowLevel(flows, set, new LowLevelOperatorFactory(set, keyGroups))),
        keyGroups,
        set,
        new WindowOperator(set));
  }

  /**
   * The results of live queries as the {@link ControlTopic} has them, its present contents from the
   * first flow on. Without that topic only the configured analyses run.
   */
  static SingleOutputStreamOperator<WindowResult> controlledWindows(
      DataStream<PositionedBatch> flows, JobConfig config, List<AnalysisConfig> analyses) {
    JobAnalyses.checkAll(analyses, config);
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
    LiveQuery.byId(analyses.running()); // an error in a query is said here, not by a task
    return flows
        .transform("low-level", Partial.TYPE, lowLevel)
        .uid("low-level")
        .setParallelism(flows.getParallelism());
  }

  static SingleOutputStreamOperator<WindowResult> merged(
      DataStream<Partial> partials, int keyGroups, AnalysisSet analyses, WindowOperator operator) {
    return partials
        .keyBy(new KeyGroupKeys(keyGroups))
        .transform("merge", Partial.TYPE, new MergeOperator(analyses))
        .uid("merge")
        .global()
        .transform("windows", WindowResult.TYPE, operator)
        .uid("windows")
        // Only its parallelism is one, its maximum the job's: with one task Flink chains the
        // history to it. A chain has one maximum, and Flink refuses a state that was written with
        // another.
        .setParallelism(1);
  }

  /** Makes results of parts and, if a site is configured, publishes its states. */
  static WindowOperator operator(AnalysisSet analyses, JobConfig config) {
    if (config.site() == null) {
      return new WindowOperator(analyses);
    }
    LOG.info(
        "site {}: the states of {} are published to topic {} at {}",
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
}
