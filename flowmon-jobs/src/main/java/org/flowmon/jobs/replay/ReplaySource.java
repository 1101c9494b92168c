package org.flowmon.jobs.replay;

import java.util.Optional;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * The archive's flows by slices, each followed by the watermark that closes its windows. Bounded;
 * one task reads. Its state is the next slice: one goes out whole between two barriers.
 */
final class ReplaySource implements Source<PositionedBatch, ReplaySplit, Boolean> {
  private static final long serialVersionUID = 1L;

  private final ReplaySpec spec;

  ReplaySource(ReplaySpec spec) {
    this.spec = spec;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SplitEnumerator<ReplaySplit, Boolean> createEnumerator(
      SplitEnumeratorContext<ReplaySplit> context) {
    return new ReplayEnumerator(context, Optional.of(first()));
  }

  @Override
  public SplitEnumerator<ReplaySplit, Boolean> restoreEnumerator(
      SplitEnumeratorContext<ReplaySplit> context, Boolean assigned) {
    return new ReplayEnumerator(context, assigned ? Optional.empty() : Optional.of(first()));
  }

  private ReplaySplit first() {
    return new ReplaySplit(spec.firstWindow());
  }

  @Override
  public SimpleVersionedSerializer<ReplaySplit> getSplitSerializer() {
    return new ReplaySplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<Boolean> getEnumeratorCheckpointSerializer() {
    return new ReplayEnumerator.Serializer();
  }

  @Override
  public SourceReader<PositionedBatch, ReplaySplit> createReader(SourceReaderContext context) {
    return new ReplayReader(spec, context);
  }
}
