package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;

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
 * <p>Found by {@link java.util.ServiceLoader}: the full name of the class, public and with a public
 * constructor without parameters, stands in a file {@code
 * META-INF/services/org.flowmon.udaf.function.Udaf} of its jar. What flowmon brings is found the
 * same way ({@code Udafs}). Immutable.
 *
 * <p>What every function keeps to is checked by the contract test {@code FunctionContract}:
 *
 * <ul>
 *   <li>Rows may be split into any number of low halves, each flushed at any time, and what these
 *       send may be merged in any order and by any tree; the answers keep to their {@linkplain
 *       BoundExtractor#bound bound}. Where {@link BoundUdaf#isExact} the bytes of the whole are the
 *       same, whichever way they came about.
 *   <li>A state goes to bytes and back without a difference in its answers.
 *   <li>Bytes that are no state of the function are a {@link StateFormatException}, nothing else,
 *       and leave the state that they were to be merged into as it was.
 *   <li>{@link SuperState#memoryBytes} is not below what the state occupies, and {@link
 *       SuperState#chargedBytes} not below that, the same for the same rows, and never falls.
 * </ul>
 */
public interface Udaf {
  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** How it is called, for errors and listings: {@code QUANTILES(x [, epsilon])}. */
  String signature();

  /**
   * Checks a call and fixes the kinds of its arguments and its parameters.
   *
   * @throws UdafException saying what was found and what was expected
   */
  BoundUdaf bind(UdafCall call);

  /**
   * The parameters behind the arguments of rows with which answers are exact, for those that have
   * to know; null where no parameters make them so.
   */
  default List<Value> exactParameters() {
    return null;
  }

  /** What takes values out of its states; no two of the same name. */
  List<Extractor> extractors();

  /**
   * What makes something of two of its states, beside UNION, which every function has; none unless
   * it is said.
   */
  default List<PairFunction> pairs() {
    return List.of();
  }
}
