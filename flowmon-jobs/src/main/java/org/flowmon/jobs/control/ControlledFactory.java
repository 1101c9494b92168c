package org.flowmon.jobs.control;

import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.flowmon.jobs.lowlevel.Partial;

/**
 * Creates the source of partial groups, a low level or its replacement (of input {@code T}), with
 * analyses that a {@link ControlTopic} starts, changes and stops.
 */
public final class ControlledFactory<T> extends AbstractStreamOperatorFactory<Partial>
    implements OneInputStreamOperatorFactory<T, Partial>, CoordinatedOperatorFactory<Partial> {
  private static final long serialVersionUID = 1L;

  private final OneInputStreamOperatorFactory<T, Partial> operators;
  private final AnalysesCoordinator.Settings settings;

  /** {@code operators} create the settings' operator; it handles coordinator events. */
  public ControlledFactory(
      OneInputStreamOperatorFactory<T, Partial> operators, AnalysesCoordinator.Settings settings) {
    this.operators = operators;
    this.settings = settings;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // the interface leaves it to the caller
  public <O extends StreamOperator<Partial>> O createStreamOperator(
      StreamOperatorParameters<Partial> parameters) {
    O operator = operators.createStreamOperator(parameters);
    parameters
        .getOperatorEventDispatcher()
        .registerEventHandler(
            parameters.getStreamConfig().getOperatorID(), (OperatorEventHandler) operator);
    return operator;
  }

  @Override
  @SuppressWarnings("rawtypes") // as the interface has it
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return operators.getStreamOperatorClass(classLoader);
  }

  @Override
  public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID operator) {
    return new AnalysesCoordinator.Provider(operator, settings);
  }
}
