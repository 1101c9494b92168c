package org.flowmon.archive.query.group.table;

import java.util.Optional;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Accumulator.Operation;
import org.flowmon.udaf.aggregate.GroupLayout;

/**
 * States of counts and sums of at most one argument, never NULL, whose sum fits a long: they follow
 * from one sum and one count. Immutable.
 */
final class SumAndCount {
  /** Longs of a group: its key, its sum, its count. */
  static final int WORDS = 3;

  private final int stateWords;
  private final int[] countWords;
  private final int[] sumWords;

  private SumAndCount(GroupLayout layout) {
    this.stateWords = layout.stateWords();
    this.countWords =
        layout.accumulators().stream()
            .filter(accumulator -> accumulator.operation() != Operation.SUM)
            .mapToInt(Accumulator::word)
            .toArray();
    this.sumWords =
        layout.accumulators().stream()
            .filter(accumulator -> accumulator.operation() == Operation.SUM)
            .mapToInt(Accumulator::word)
            .toArray();
  }

  static Optional<SumAndCount> of(GroupLayout layout) {
    boolean works =
        layout.arguments().size() <= 1
            && layout.accumulators().stream().allMatch(SumAndCount::isAdded);
    return works ? Optional.of(new SumAndCount(layout)) : Optional.empty();
  }

  private static boolean isAdded(Accumulator accumulator) {
    return switch (accumulator.operation()) {
      case COUNT_ROWS, COUNT_VALUES, SUM -> true;
      default -> false;
    };
  }

  /** Makes states; the first sum is at {@code from}, {@code places} receive each state's start. */
  void states(long[] words, int from, int n, int[] places, long[] out) {
    int at = 0;
    for (int i = 0; i < n; i++) {
      long sum = words[from + i * WORDS];
      long count = words[from + i * WORDS + 1];
      for (int word : countWords) {
        out[at + word] = count;
      }
      for (int word : sumWords) {
        out[at + word] = sum;
        out[at + word + 1] = 0;
      }
      places[i] = at;
      at += stateWords;
    }
  }
}
