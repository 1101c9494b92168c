package org.flowmon.jobs;

import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.MergeConfig;
import org.flowmon.jobs.control.AnalysesCoordinator;
import org.flowmon.jobs.control.ControlledFactory;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.site.StatesTopic;
import org.flowmon.jobs.site.centre.SiteStatesFactory;
import org.flowmon.jobs.source.FlowSource;
import org.flowmon.jobs.source.FlowTopic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From the states of sites to the results of windows, in place of flows in a job that merges. */
public final class SitesPipeline {
  private static final Logger LOG = LoggerFactory.getLogger(SitesPipeline.class);

  private SitesPipeline() {}

  static FlowTopic statesTopic(JobConfig config, MergeConfig merge) {
    JobConfig.Kafka kafka = config.kafka();
    return FlowTopic.lookUp(
        new JobConfig.Kafka(
            kafka.bootstrap(),
            merge.topic(),
            kafka.group(),
            kafka.startingOffsets(),
            null,
            kafka.properties()));
  }

  /** What sites say of their states, in the order of the topic. */
  public static DataStream<StatesRecord> states(
      StreamExecutionEnvironment env, JobConfig config, MergeConfig merge) {
    StatesTopic.createIfMissing(config.kafka().clientProperties(), merge.topic());
    return env.fromSource(
            FlowSource.of(config, merge.topic(), StatesTopic.reader()),
            WatermarkStrategy.noWatermarks(),
            "states-source")
        .uid("states-source")
        .setParallelism(1);
  }

  /** As {@link WindowPipeline#controlledWindows}, over the states of sites in place of flows. */
  public static SingleOutputStreamOperator<WindowResult> mergedWindows(
      DataStream<StatesRecord> states,
      JobConfig config,
      MergeConfig merge,
      List<AnalysisConfig> analyses) {
    int keyGroups = config.job().maxParallelism();
    JobAnalyses.checkAll(analyses, config);
    OneInputStreamOperatorFactory<StatesRecord, Partial> factory;
    AnalysisSet set;
    if (config.kafka().analysesTopic() == null) {
      // Before the last result sites have said nothing.
      set = new AnalysisSet(analyses, true, config.enrichment());
      factory = new SiteStatesFactory(set, merge, config.job().arrivalAhead(), keyGroups);
    } else {
      AnalysesCoordinator.Settings settings = JobAnalyses.controlled(config, analyses);
      set = settings.analyses();
      factory =
          new ControlledFactory<>(
              new SiteStatesFactory(set, merge, config.job().arrivalAhead(), keyGroups), settings);
    }
    LiveQuery.byId(set.running()); // an error in a query is said here, not by a task
    LOG.info(
        "sites {}: their states of topic {} at {} are merged for {}",
        merge.sites(),
        merge.topic(),
        config.kafka().bootstrap(),
        set.running().stream().map(AnalysisConfig::name).toList());
    return WindowPipeline.merged(
        states.transform("site-states", Partial.TYPE, factory).uid("site-states").setParallelism(1),
        keyGroups,
        set,
        WindowPipeline.operator(set, config));
  }
}
