package org.flowmon.udaf.function;

/**
 * Takes values out of the states of one function: {@code QUANTILE(state, 0.95)}. Its name needs to
 * be unique only among the function's. Immutable.
 */
public interface Extractor {
  /** The name in queries: upper-case letters, digits and {@code _}, beginning with a letter. */
  String name();

  /** How it is called, for errors and listings: {@code QUANTILE(state, share)}. */
  String signature();

  /**
   * Checks a call and fixes its parameters.
   *
   * @param function whose states it will be given
   * @param call the arguments behind the state, all of them constants
   * @throws UdafException saying what was found and what was expected
   */
  BoundExtractor bind(BoundUdaf function, UdafCall call);
}
