package org.flowmon.archive.query;

import java.util.Arrays;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.Expression;

/** Reads the cells of a block as states of groups, word by word. Not thread-safe. */
final class CellStates {
  private static final int NONE = -1;

  private final GroupLayout layout;
  private final long[][] words;
  // By word of a state: the stream that fills it, NONE for 0.
  private final int[] streams;

  CellStates(GroupLayout layout) {
    this.layout = layout;
    this.words = new long[layout.stateWords()][RollupFormat.BLOCK];
    this.streams = new int[layout.stateWords()];
  }

  /** Reads cells of this rollup from now on. */
  void begin(Rollup rollup) {
    for (Accumulator accumulator : layout.accumulators()) {
      int word = accumulator.word();
      FlowColumn measure =
          accumulator.argument() < 0
              ? null
              : ((Expression.Column) layout.arguments().get(accumulator.argument())).column();
      boolean absent = measure != null && !rollup.has(measure);
      switch (accumulator.operation()) {
        case COUNT_ROWS -> streams[word] = rollup.rowsStream();
        case COUNT_VALUES -> streams[word] = absent ? NONE : rollup.valuesStream(measure);
        case SUM -> {
          streams[word] = absent ? NONE : rollup.sumStream(measure);
          streams[word + 1] = absent ? NONE : rollup.highStream(measure);
        }
        default -> throw new IllegalArgumentException("cells have no " + accumulator.operation());
      }
    }
    for (int word = 0; word < streams.length; word++) {
      if (streams[word] == NONE) {
        Arrays.fill(words[word], 0);
      }
    }
  }

  /**
   * Reads some cells of a block.
   *
   * @param places of the cells in the block, ascending
   */
  void read(CellReader reader, int block, int[] places, int n) {
    boolean all = n == reader.cells(block);
    for (int word = 0; word < streams.length; word++) {
      if (streams[word] == NONE) {
        continue;
      }
      long[] state = words[word];
      reader.read(streams[word], block, state);
      if (!all) {
        for (int i = 0; i < n; i++) {
          state[i] = state[places[i]];
        }
      }
    }
    for (Accumulator accumulator : layout.accumulators()) {
      int word = accumulator.word();
      if (accumulator.operation() == Accumulator.Operation.SUM && streams[word + 1] != NONE) {
        // The low word of a state is taken as signed.
        for (int i = 0; i < n; i++) {
          words[word + 1][i] += words[word][i] >>> 63;
        }
      }
    }
  }

  /** By word of a state, then by cell that was read. */
  long[][] words() {
    return words;
  }
}
