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

  /** The results of all analyses' live queries. */
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
   * changes and stops. Without a control topic only the configured analyses run. The topic's
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
    LiveQuery.byId(analyses.running()); // an error in a query is said here, not by a task
    return flows
        .transform("low-level", Partial.TYPE, lowLevel)
        .uid("low-level")
        .setParallelism(flows.getParallelism());
  }

  /** From partial groups, wherever they come from, to the results of windows. */
  static SingleOutputStreamOperator<WindowResult> merged(
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
