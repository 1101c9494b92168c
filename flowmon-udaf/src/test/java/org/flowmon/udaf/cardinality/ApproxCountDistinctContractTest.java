package org.flowmon.udaf.cardinality;

import java.util.List;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.Udaf;

/** Approximate distinct counts keep to the contract for every kind of values. */
public class ApproxCountDistinctContractTest extends FunctionContract {
  @Override
  protected Udaf owner() {
    return new ApproxCountDistinct();
  }

  @Override
  protected List<ContractCase> cases() {
    return DistinctCases.of(owner(), 7, 12);
  }
}
