package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;

/**
 * A bound function for the contract test.
 *
 * @param function the function
 * @param probes extractors whose answers are compared
 * @param oracle checks answers
 */
public record ContractCase(BoundUdaf function, List<BoundExtractor> probes, Oracle oracle) {

  /** Compares a state with all rows together, computed in another way. */
  public interface Oracle {
    /**
     * Fails if the state does not keep to its bounds.
     *
     * @param where the checked case, with the seed, for the failure's message
     */
    void check(TestRows rows, SuperState state, String where);
  }

  /** The kinds of the arguments that are evaluated for each row. */
  ValueKind[] kinds() {
    return function.call().arguments().stream()
        .limit(function.arguments())
        .map(UdafCall.Argument::kind)
        .toArray(ValueKind[]::new);
  }

  @Override
  public String toString() {
    return function.call().toString();
  }
}
