package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate function that queries call by name, as {@code QUANTILES(bytes, 0.01)}. Its result is
 * a <i>state</i>; {@linkplain Extractor extractors} take values out of one, so that several values
 * of one state cost one aggregation.
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
 * <p>{@link java.util.ServiceLoader} finds it: a file {@code
 * META-INF/services/org.flowmon.udaf.function.Udaf} of its jar has the full name of its class,
 * which is public and has a public constructor without parameters. Flowmon's own functions are
 * found the same way ({@code Udafs}). Immutable.
 *
 * <p>The contract test {@code FunctionContract} checks the rules of every function:
 *
 * <ul>
 *   <li>Rows may be split among any number of low halves, each flushed at any time, and their
 *       sub-states may be merged in any order and by any tree: the answers keep to their
 *       {@linkplain BoundExtractor#bound bound}. If {@link BoundUdaf#isExact}, the bytes of the
 *       whole are the same in all cases.
 *   <li>Serializing and reading a state does not change its answers.
 *   <li>Bytes that are no state of the function cause a {@link StateFormatException}, nothing else,
 *       and leave the target of the merge unchanged.
 *   <li>{@link SuperState#memoryBytes} is at least the memory of the state. {@link
 *       SuperState#chargedBytes} is at least {@code memoryBytes}, is the same for the same rows,
 *       and never falls.
 * </ul>
 */
public interface Udaf {
  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** The form of its calls, for errors and listings: {@code QUANTILES(x [, epsilon])}. */
  String signature();

  /**
   * Checks a call and fixes the kinds of its arguments and its parameters.
   *
   * @throws UdafException saying what was found and what was expected
   */
  BoundUdaf bind(UdafCall call);

  /** The parameters, after the row arguments, that make answers exact; null if there are none. */
  default @Nullable List<Value> exactParameters() {
    return null;
  }

  /** The extractors of its states, each with a unique name. */
  List<Extractor> extractors();

  /**
   * The functions of two of its states, beside UNION, which every function has; none by default.
   */
  default List<PairFunction> pairs() {
    return List.of();
  }
}
