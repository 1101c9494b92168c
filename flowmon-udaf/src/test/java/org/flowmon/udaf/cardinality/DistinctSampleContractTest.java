package org.flowmon.udaf.cardinality;

import java.util.List;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.Udaf;

/** Samples of distinct values keep to the contract for every kind of values. */
public class DistinctSampleContractTest extends FunctionContract {
  @Override
  protected Udaf owner() {
    return new DistinctSample();
  }

  @Override
  protected List<ContractCase> cases() {
    return DistinctCases.of(owner(), 64, 2048);
  }
}
