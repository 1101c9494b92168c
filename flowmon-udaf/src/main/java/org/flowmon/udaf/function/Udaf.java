package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate function that queries call by name, as {@code QUANTILES(bytes, 0.01)}. Its result is
 * a <i>state</i>; several values of it by {@linkplain Extractor extractors} cost one aggregation.
 *
 * <pre>
 *   Udaf ── bind(call) ──► BoundUdaf
 *                           ├─ subAggregate():   low level, in words of the group table (INITIALIZE, ITERATE, FLUSHME, OUTPUT, DESTROY)
 *                           │        │ bytes of a sub-state
 *                           │        ▼
 *                           ├─ superAggregate(): high level, a growing SuperState a group; merges sub- and super-states
 *                           │        │ SuperState
 *                           ▼        ▼
 *   Extractor ── bind ──► BoundExtractor.extract(state): an Answer, with bounds
 * </pre>
 *
 * <p>{@link java.util.ServiceLoader} finds it, flowmon's own ones, too ({@code Udafs}): {@code
 * META-INF/services/org.flowmon.udaf.function.Udaf} names its public class, which has a public
 * constructor without parameters. Immutable.
 *
 * <p>The contract test {@code FunctionContract} checks the rules of every function. Rows may be
 * split among any low halves, flushed at any time, and sub-states merged in any order and tree:
 * answers keep to their {@linkplain BoundExtractor#bound bound}, and if {@link BoundUdaf#isExact},
 * the bytes are the same. Serializing and reading a state does not change its answers. Bytes that
 * are no state cause a {@link StateFormatException}, nothing else, and leave the target unchanged.
 * {@link SuperState#memoryBytes} is at least the state's memory; {@link SuperState#chargedBytes} is
 * no less, the same for the same rows, and never falls.
 */
public interface Udaf {
  /** Upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code QUANTILES(x [, epsilon])}. */
  String signature();

  /** Binds a call; a {@link UdafException} names the found and the expected arguments. */
  BoundUdaf bind(UdafCall call);

  /** The parameters, after the row arguments, that make answers exact; null if there are none. */
  default @Nullable List<Value> exactParameters() {
    return null;
  }

  /**
   * The default of a call with so many arguments, if an earlier one made other states; else empty.
   * It tells live queries with equal texts apart: none takes the states of the other.
   */
  default String laterDefault(int arguments) {
    return "";
  }

  /** The extractors of its states, each with a unique name. */
  List<Extractor> extractors();

  /** Beside UNION, which every function has; none by default. */
  default List<PairFunction> pairs() {
    return List.of();
  }
}
