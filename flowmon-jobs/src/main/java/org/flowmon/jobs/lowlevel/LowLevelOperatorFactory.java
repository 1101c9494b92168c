package org.flowmon.jobs.lowlevel;

import java.time.Duration;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.source.PositionedBatch;

/** Creates the low level in each task. */
public final class LowLevelOperatorFactory extends AbstractStreamOperatorFactory<Partial>
    implements OneInputStreamOperatorFactory<PositionedBatch, Partial> {
  private static final long serialVersionUID = 1L;

  private final AnalysisSet analyses;
  private final int maxParallelism;
  private final Duration arrivalAhead;

  /** {@code maxParallelism}: number of key groups of the merge. */
  public LowLevelOperatorFactory(AnalysisSet analyses, int maxParallelism) {
    this(analyses, maxParallelism, JobConfig.Settings.ARRIVAL_AHEAD);
  }

  /** {@code arrivalAhead}: how far a flow's arrival may lie after the clock. */
  public LowLevelOperatorFactory(AnalysisSet analyses, int maxParallelism, Duration arrivalAhead) {
    this.analyses = new AnalysisSet(analyses);
    this.maxParallelism = maxParallelism;
    this.arrivalAhead = arrivalAhead;
  }

  @Override
  // The interface leaves T to the caller, who asks for our own type.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<Partial>> T createStreamOperator(
      StreamOperatorParameters<Partial> parameters) {
    return (T) new LowLevelOperator(parameters, analyses, maxParallelism, arrivalAhead);
  }

  @Override
  public Class<? extends StreamOperator<?>> getStreamOperatorClass(ClassLoader classLoader) {
    return LowLevelOperator.class;
  }
}
