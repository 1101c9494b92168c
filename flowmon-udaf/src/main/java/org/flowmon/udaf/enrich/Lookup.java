package org.flowmon.udaf.enrich;

import java.util.function.Supplier;
import org.flowmon.udaf.vector.Vector;

/**
 * One version of a table: values by the keys of an {@link EnrichedColumn}. Immutable, for many
 * threads. As a supplier it gives itself, so a query keeps the version; a supplier that is no
 * lookup gives the newest one.
 */
public interface Lookup extends Supplier<Lookup> {
  /** Without entries. */
  Lookup NONE = (keys, count, out) -> out.setAllNull(count);

  /** Of a table that would complete a stored column, which then stays as it is. */
  Lookup STORED = (keys, count, out) -> out.copy(keys[0], count);

  /** Receives closed ranges of addresses. */
  @FunctionalInterface
  interface RangeSink {
    void add(long firstHi, long firstLo, long lastHi, long lastLo);
  }

  /**
   * Fills {@code out[0 … count)}; a NULL key or one without an entry gives NULL.
   *
   * @param keys a vector for each of {@link EnrichedColumn#keys}
   */
  void fill(Vector[] keys, int count, Vector out);

  /**
   * The addresses that have a text, if addresses are the only key.
   *
   * @param most ranges to be given
   * @return false if it is not known or there are more: then ranges given so far mean nothing
   */
  default boolean ranges(String text, int most, RangeSink sink) {
    return false;
  }

  @Override
  default Lookup get() {
    return this;
  }
}
