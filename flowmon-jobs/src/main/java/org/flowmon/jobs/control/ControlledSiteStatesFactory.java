package org.flowmon.jobs.control;

import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.config.MergeConfig;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.SiteStatesFactory;

/**
 * Makes what merges states of sites, whose analyses come, change and go as a {@link ControlTopic}
 * says.
 */
public final class ControlledSiteStatesFactory extends SiteStatesFactory
    implements CoordinatedOperatorFactory<Partial> {
  private static final long serialVersionUID = 1L;

  private final AnalysesCoordinator.Settings settings;

  /**
   * For these analyses and those to come.
   *
   * @param keyGroups number of key groups of the merge that follows
   */
  public ControlledSiteStatesFactory(
      AnalysisSet analyses,
      MergeConfig merge,
      int keyGroups,
      AnalysesCoordinator.Settings settings) {
    super(analyses, merge, keyGroups);
    this.settings = settings;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // the interface leaves T to the caller
  public <T extends StreamOperator<Partial>> T createStreamOperator(
      StreamOperatorParameters<Partial> parameters) {
    T operator = super.createStreamOperator(parameters);
    parameters
        .getOperatorEventDispatcher()
        .registerEventHandler(
            parameters.getStreamConfig().getOperatorID(), (OperatorEventHandler) operator);
    return operator;
  }

  @Override
  public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID operator) {
    return new AnalysesCoordinator.Provider(operator, settings);
  }
}
