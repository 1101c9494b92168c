package org.flowmon.jobs.site.centre;

import java.time.Duration;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.job.MergeConfig;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.StatesRecord;

/** Creates the task that makes states of sites to partial groups. */
public final class SiteStatesFactory extends AbstractStreamOperatorFactory<Partial>
    implements OneInputStreamOperatorFactory<StatesRecord, Partial> {
  private static final long serialVersionUID = 1L;

  private final AnalysisSet analyses;
  private final MergeConfig merge;
  private final Duration arrivalAhead;
  private final int keyGroups;

  /** {@code arrivalAhead}: of a site's time to the broker's clock; {@code keyGroups}: merge's. */
  public SiteStatesFactory(
      AnalysisSet analyses, MergeConfig merge, Duration arrivalAhead, int keyGroups) {
    this.analyses = new AnalysisSet(analyses);
    this.merge = merge;
    this.arrivalAhead = arrivalAhead;
    this.keyGroups = keyGroups;
  }

  @Override
  // The interface leaves T to the caller, who asks for our own type.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<Partial>> T createStreamOperator(
      StreamOperatorParameters<Partial> parameters) {
    return (T) new SiteStatesOperator(parameters, analyses, merge, arrivalAhead, keyGroups);
  }

  @Override
  public Class<? extends StreamOperator<?>> getStreamOperatorClass(ClassLoader classLoader) {
    return SiteStatesOperator.class;
  }
}
