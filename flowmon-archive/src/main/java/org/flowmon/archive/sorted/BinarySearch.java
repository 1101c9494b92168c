package org.flowmon.archive.sorted;

import java.util.function.IntPredicate;

/** Searches ascending places for the first one with a property that all later ones have, too. */
public final class BinarySearch {
  private BinarySearch() {}

  /** The first of the places {@code from … to − 1} with a property, {@code to} if none has it. */
  public static int first(int from, int to, IntPredicate property) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (property.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
