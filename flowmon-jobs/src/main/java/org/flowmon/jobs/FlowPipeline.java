package org.flowmon.jobs;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.config.job.RetentionConfig;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.sink.archive.ArchiveSink;
import org.flowmon.jobs.source.FlowSource;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.source.SequenceCheckOperator;
import org.jspecify.annotations.Nullable;

/** From the topic of flows to the archive: batches that are checked, and segments made of them. */
public final class FlowPipeline {
  private FlowPipeline() {}

  /** Flow batches from Kafka, each once; refused: side output {@link Quarantined#TAG}. */
  public static SingleOutputStreamOperator<PositionedBatch> flows(
      StreamExecutionEnvironment env, JobConfig config) {
    return flows(env, config, FlowTopic.lookUp(config.kafka()));
  }

  static SingleOutputStreamOperator<PositionedBatch> flows(
      StreamExecutionEnvironment env, JobConfig config, FlowTopic topic) {
    // A reader without a partition would hold the watermark back for ever.
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

  /** Archives flows, returns those it cannot. Settings hold from now on; null: the archive's. */
  public static DataStream<Quarantined> archive(
      DataStream<PositionedBatch> flows,
      ArchiveLocation location,
      int compactRows,
      @Nullable RetentionConfig retention,
      @Nullable String segments) {
    SingleOutputStreamOperator<ArchiveCommittable> sealed =
        ArchiveSink.seal(flows, location, segments).uid("archive-writer");
    ArchiveSink.commit(sealed, location, compactRows, retention).uid("archive-committer");
    return sealed.getSideOutput(Quarantined.TAG);
  }
}
