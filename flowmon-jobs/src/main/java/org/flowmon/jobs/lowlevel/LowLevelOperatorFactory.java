package org.flowmon.jobs.lowlevel;

import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.source.PositionedBatch;

/** Makes the low level in each task. */
public final class LowLevelOperatorFactory extends AbstractStreamOperatorFactory<Partial>
    implements OneInputStreamOperatorFactory<PositionedBatch, Partial> {
  private static final long serialVersionUID = 1L;

  private final AnalysisSet analyses;
  private final int maxParallelism;

  /**
   * A low level for these analyses.
   *
   * @param maxParallelism number of key groups of the merge that follows
   */
  public LowLevelOperatorFactory(AnalysisSet analyses, int maxParallelism) {
    this.analyses = new AnalysisSet(analyses);
    this.maxParallelism = maxParallelism;
  }

  @Override
  // The interface leaves T to the caller, who asks for our own type.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<Partial>> T createStreamOperator(
      StreamOperatorParameters<Partial> parameters) {
    return (T) new LowLevelOperator(parameters, analyses, maxParallelism);
  }

  @Override
  public Class<? extends StreamOperator<?>> getStreamOperatorClass(ClassLoader classLoader) {
    return LowLevelOperator.class;
  }
}
