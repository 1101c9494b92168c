package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.vector.Vector;

/** Reads the cells of a block as states of groups, word by word. Not thread-safe. */
final class CellStates {
  private static final int NONE = -1; // 0 in all cells
  private static final int OF_TIME = -2; // shared by all cells of a slice

  private final GroupLayout layout;
  private final long[][] words;
  // By word of a state: the stream that fills it.
  private final int[] streams;
  // By argument: a measure, or a time.
  private final List<Optional<Measure>> measures;
  private final List<Optional<CompiledExpression>> times;
  private final CellRows time = new CellRows();

  CellStates(GroupLayout layout) {
    this.layout = layout;
    this.words = new long[layout.stateWords()][RollupFormat.BLOCK];
    this.streams = new int[layout.stateWords()];
    this.measures = layout.arguments().stream().map(RollupRule::measure).toList();
    this.times = layout.arguments().stream().map(CellStates::time).toList();
  }

  private static Optional<CompiledExpression> time(Expression argument) {
    return RollupRule.measure(argument).isPresent()
        ? Optional.empty()
        : Optional.of(CompiledExpression.of(argument));
  }

  void begin(Rollup rollup) {
    for (Accumulator accumulator : layout.accumulators()) {
      int word = accumulator.word();
      if (isOfTime(accumulator)) {
        streams[word] = OF_TIME;
        continue;
      }
      switch (accumulator.operation()) {
        case COUNT_ROWS -> streams[word] = rollup.rowsStream();
        case COUNT_VALUES -> {
          Measure measure = measure(accumulator, rollup);
          streams[word] = rollup.has(measure) ? rollup.valuesStream(measure) : NONE;
        }
        case SUM -> {
          Measure measure = measure(accumulator, rollup);
          streams[word] = rollup.has(measure) ? rollup.sumStream(measure) : NONE;
          streams[word + 1] = rollup.has(measure) ? rollup.highStream(measure) : NONE;
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

  /** An estimate that the rollup lacks is its column: else these cells would not answer. */
  private Measure measure(Accumulator accumulator, Rollup rollup) {
    Measure asked = measures.get(accumulator.argument()).orElseThrow();
    return rollup.has(asked) ? asked : Measure.of(asked.column());
  }

  private boolean isOfTime(Accumulator accumulator) {
    return accumulator.argument() >= 0 && times.get(accumulator.argument()).isPresent();
  }

  void open(CellSource source, int slice) {
    for (Accumulator accumulator : layout.accumulators()) {
      if (isOfTime(accumulator)) {
        open(accumulator, source, slice);
      }
    }
  }

  private void open(Accumulator accumulator, CellSource source, int slice) {
    CompiledExpression expression = times.get(accumulator.argument()).orElseThrow();
    Vector value = expression.newVector();
    time.loadTime(source, slice);
    expression.evaluate(time, 0, 1, value);
    long[] state = words[accumulator.word()];
    switch (accumulator.operation()) {
      case COUNT_VALUES -> {
        streams[accumulator.word()] = value.isValid(0) ? source.rollup().rowsStream() : NONE;
        Arrays.fill(state, 0);
      }
      case MIN -> Arrays.fill(state, value.isValid(0) ? value.values()[0] : Long.MAX_VALUE);
      case MAX -> Arrays.fill(state, value.isValid(0) ? value.values()[0] : Long.MIN_VALUE);
      default -> throw new IllegalArgumentException("hours have no " + accumulator.operation());
    }
  }

  /** {@code places} in the block are ascending. */
  void read(CellReader reader, int block, int[] places, int n) {
    boolean all = n == reader.cells(block);
    for (int word = 0; word < streams.length; word++) {
      if (streams[word] < 0) {
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
        // The low word of a state is signed.
        for (int i = 0; i < n; i++) {
          words[word + 1][i] += words[word][i] >>> 63;
        }
      }
    }
  }

  long[][] words() {
    return words;
  }
}
