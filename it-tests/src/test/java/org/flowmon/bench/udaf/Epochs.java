package org.flowmon.bench.udaf;

import org.flowmon.bench.harness.Point;
import org.flowmon.udaf.value.ValueKind;

/** Makes the tuples of points. The last ones are kept, as points follow that want the same. */
final class Epochs {
  private final int rows;
  private final long seed;
  private Key last = new Key(false, ValueKind.LONG, 0, 0, Spread.UNIFORM);
  private Tuples tuples;

  private record Key(boolean ofItems, ValueKind items, int groups, int values, Spread spread) {}

  Epochs(int rows, long seed) {
    this.rows = rows;
    this.seed = seed;
  }

  /** Whether the function of a point takes items with weights, rather than numbers. */
  static boolean isOfItems(Point at) {
    return at.text("function").startsWith("HEAVY_HITTERS");
  }

  static ValueKind items(Point at) {
    return at.text("items").equals("addresses") ? ValueKind.ADDRESS : ValueKind.LONG;
  }

  /**
   * The tuples of a point, whose axis {@code tuples} says how they are spread.
   *
   * @param values the number of different ones in a group, or {@code any}
   */
  Tuples of(Point at, int groups, String values) {
    int count = values.equals("any") ? Tuples.ANY : Integer.parseInt(values);
    Key key = new Key(isOfItems(at), items(at), groups, count, Spread.of(at.text("tuples")));
    if (!key.equals(last)) {
      tuples =
          key.ofItems
              ? Tuples.ofItems(key.items, rows, groups, count, key.spread, seed)
              : Tuples.ofNumbers(rows, groups, count, key.spread, seed);
      last = key;
    }
    return tuples;
  }
}
