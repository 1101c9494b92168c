package org.flowmon.udaf.tuning;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Chooses low halves for a table's functions that leave the choice. Now and then it samples the
 * rows of two epochs, tries all low halves on the sample, and takes the one that is clearly the
 * cheapest in several trials, both levels together.
 *
 * <pre>
 *   epochs: sample ─► trial, a step with each vector of rows ─► choice ─► some fifty times as many rows without
 *                      ▲                                         │
 *                      └────────── if another was cheaper ───────┘
 * </pre>
 *
 * <p>Trials take at most some 2% of the time of functions, less if they change nothing. Not
 * thread-safe.
 */
public final class LowHalfTuner {
  /** Rows without a trial for each row of a trial. */
  static final long ROWS_PER_PASS = 50;

  /** Rows after which an unfinished epoch counts as ended. */
  static final long LONG_EPOCH = 1 << 22;

  /** Rows of the first look, few of them kept: an initial low half may cost twice as much. */
  static final long FIRST_LOOK = 1 << 17;

  private static final int FIRST_SAMPLE = 1 << 14;

  private static final long LEAST_ROWS = 512;

  /** Windows and checkpoints end in turns: one epoch of each kind, of any length. */
  private static final int EPOCHS = 2;

  private static final int MOST_EPOCHS = 64;
  private static final int MOST_QUIET = 16;

  /** The least rows of all passes of a trial: the clock is too coarse for fewer. */
  private static final int LEAST_PASSES = 1 << 14;

  private final List<Tuned> functions;
  private final LongSupplier nanos;
  private final LowHalfSample sample;
  private final LowHalfChoice[] choices;
  // By function: the slots with each of its choices, whatever the other functions have.
  private int[][] slots;
  private long rows;
  private long nextSampleAt;
  private long sampleFrom;
  private long epochFrom;
  private int epochs;
  private boolean sampling;
  private @Nullable LowHalfTrial trial; // null between trials
  private int tried;
  private long passes;
  private boolean challenged;
  private int quiet = 1;
  private long trials;
  private long switches;

  /** A function with at least two choices; indexes are among those of the table. */
  public record Tuned(int function, List<BoundUdaf> choices, List<Integer> arguments) {}

  /** Begins with the first choices of functions; only differences of the clock count. */
  public LowHalfTuner(List<Tuned> functions, LongSupplier nanos) {
    this.functions = List.copyOf(functions);
    this.nanos = nanos;
    this.choices = new LowHalfChoice[functions.size()];
    this.slots = new int[functions.size()][];
    for (int f = 0; f < choices.length; f++) {
      choices[f] = new LowHalfChoice(functions.get(f).choices.size());
    }
    this.sample =
        new LowHalfSample(
            functions.stream()
                .flatMap(tuned -> tuned.arguments.stream())
                .mapToInt(argument -> argument)
                .distinct()
                .toArray());
    beginSample();
  }

  public BoundUdaf chosen(int tuned) {
    return functions.get(tuned).choices.get(choices[tuned].current());
  }

  public List<Tuned> functions() {
    return functions;
  }

  /** Sets the number of the table's slots with each choice of a function. */
  public void slots(int tuned, int[] byChoice) {
    slots[tuned] = byChoice;
  }

  public long trials() {
    return trials;
  }

  public long switches() {
    return switches;
  }

  private void beginSample() {
    sampling = true;
    sampleFrom = rows;
    epochFrom = rows;
    epochs = 0;
    sample.clear(trials + 1, trials == 0 ? FIRST_SAMPLE : LowHalfSample.MAX_ROWS);
  }

  /**
   * Samples taken rows, and does a step of a trial; returns whether the choice has changed. Spreads
   * separate groups of the rows' panes; null: {@code spread} for all.
   */
  public boolean took(
      long[] hashes,
      Vector[] arguments,
      int[] selection,
      int n,
      long @Nullable [] spreads,
      long spread) {
    rows += n;
    if (trial != null) {
      return trial.step() && decide(trial);
    }
    if (!sampling) {
      if (rows - nextSampleAt < LONG_EPOCH) {
        return false; // begins with the next epoch
      }
      beginSample();
    }
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      sample.add(hashes[i] ^ (spreads == null ? spread : spreads[r]), arguments, i);
    }
    if (sample.isFull() || rows - sampleFrom >= (trials == 0 ? FIRST_LOOK : LONG_EPOCH)) {
      endSample();
    }
    return false;
  }

  /** Ends an epoch: all groups have left the table. */
  public void epochEnds() {
    if (sampling) {
      if (rows > epochFrom) {
        epochs++;
        epochFrom = rows;
        sample.endEpoch();
      }
      int wanted = trials == 0 ? 1 : EPOCHS;
      if ((epochs >= wanted && sample.rows() >= LEAST_ROWS) || epochs == MOST_EPOCHS) {
        endSample();
      }
    } else if (trial == null && rows >= nextSampleAt) {
      beginSample();
    }
  }

  private void endSample() {
    if (sample.rows() < LEAST_ROWS) {
      beginSample();
      return;
    }
    sampling = false;
    tried = 0;
    passes = 0;
    challenged = false;
    beginTrial();
  }

  private void beginTrial() {
    Tuned tuned = functions.get(tried);
    int rounds = Math.max(1, LEAST_PASSES / sample.rows());
    trial = new LowHalfTrial(sample, tuned.choices, tuned.arguments, slots[tried], rounds, nanos);
  }

  /** Ends a trial: goes on with the next function, or waits for the next sample. */
  private boolean decide(LowHalfTrial ended) {
    boolean changes = choices[tried].tried(ended.costs());
    trials++;
    switches += changes ? 1 : 0;
    challenged |= changes || choices[tried].isChallenged();
    passes += ended.passes();
    trial = null;
    if (++tried < functions.size()) {
      beginTrial();
      return changes;
    }
    // The first trials run code that is hardly compiled.
    boolean again = (challenged && !changes) || trials < 2L * functions.size();
    quiet = challenged || again ? 1 : Math.min(MOST_QUIET, 2 * quiet);
    nextSampleAt = rows + (again ? 0 : ROWS_PER_PASS * passes * quiet);
    return changes;
  }

  /** The choices, as {@code QUANTILES heavy, HEAVY_HITTERS buffer}. */
  @Override
  public String toString() {
    return IntStream.range(0, choices.length)
        .mapToObj(f -> chosen(f).call().name() + " " + chosen(f).lowHalf())
        .collect(Collectors.joining(", "));
  }
}
