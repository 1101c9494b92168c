package org.flowmon.udaf.tuning;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.vector.Vector;

/**
 * Chooses low halves for the functions of a table that leave it open which one they have. Now and
 * then it keeps a sample of the rows of two epochs and tries all of them on it, both levels
 * together; what is clearly the cheapest in several trials is taken.
 *
 * <pre>
 *   epochs: sample ─► trial, a step with each vector of rows ─► choice ─► some fifty times as many rows without
 *                      ▲                                         │
 *                      └───────── where another was cheaper ─────┘
 * </pre>
 *
 * <p>Trials take at most some 2% of what functions take, less where they change nothing. Not
 * thread-safe.
 */
public final class LowHalfTuner {
  /** Rows without a trial for each that one took. */
  static final long ROWS_PER_PASS = 50;

  /** An epoch that does not end is looked at after so many rows. */
  static final long LONG_EPOCH = 1 << 22;

  /**
   * A first look is at the first of so many rows at most, and keeps few of them: the low half that
   * a function begins with may cost twice as much as another.
   */
  static final long FIRST_LOOK = 1 << 17;

  private static final int FIRST_SAMPLE = 1 << 14;

  private static final long LEAST_ROWS = 512;

  /** Windows and checkpoints end in turns: an epoch of each kind, of any length. */
  private static final int EPOCHS = 2;

  private static final int MOST_EPOCHS = 64;
  private static final int MOST_QUIET = 16;

  /** Rows of all passes of a trial at least, as time is not told more finely. */
  private static final int LEAST_PASSES = 1 << 14;

  private final List<Tuned> functions;
  private final LongSupplier nanos;
  private final LowHalfSample sample;
  private final LowHalfChoice[] choices;
  // By function: the slots of a table with each of its choices, whatever the others are.
  private int[][] slots;
  private long rows;
  private long nextSampleAt;
  private long sampleFrom;
  private long epochFrom;
  private int epochs;
  private boolean sampling;
  private LowHalfTrial trial;
  private int tried;
  private long passes;
  private boolean challenged;
  private int quiet = 1;
  private long trials;
  private long switches;

  /**
   * A function to choose for.
   *
   * @param function its place among those of the table
   * @param choices at least two
   * @param arguments places of its arguments among those of the table
   */
  public record Tuned(int function, List<BoundUdaf> choices, List<Integer> arguments) {}

  /**
   * Chooses the first of each function, until trials say otherwise.
   *
   * @param nanos a clock that only the differences of count
   */
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

  /** The low half of each of its functions. */
  public BoundUdaf chosen(int tuned) {
    return functions.get(tuned).choices.get(choices[tuned].current());
  }

  public List<Tuned> functions() {
    return functions;
  }

  /** Says how many slots the table would have with each choice of a function. */
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
   * Takes in rows that the table takes, and does a step of a trial.
   *
   * @param spreads by selected row: what sets its pane's groups apart; null where that is {@code
   *     spread} for all
   * @return whether another low half is chosen now
   */
  public boolean took(
      long[] hashes, Vector[] arguments, int[] selection, int n, long[] spreads, long spread) {
    rows += n;
    if (trial != null) {
      return trial.step() && decide();
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

  /** An epoch ends: the groups that there were have left the table. */
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

  /** A trial is done: goes on with the next function, or waits for the next sample. */
  private boolean decide() {
    boolean changes = choices[tried].tried(trial.costs());
    trials++;
    switches += changes ? 1 : 0;
    challenged |= changes || choices[tried].isChallenged();
    passes += trial.passes();
    trial = null;
    if (++tried < functions.size()) {
      beginTrial();
      return changes;
    }
    // The first trials are of code that is hardly compiled.
    boolean again = (challenged && !changes) || trials < 2L * functions.size();
    quiet = challenged || again ? 1 : Math.min(MOST_QUIET, 2 * quiet);
    nextSampleAt = rows + (again ? 0 : ROWS_PER_PASS * passes * quiet);
    return changes;
  }

  /** What is chosen, as {@code QUANTILES heavy, HEAVY_HITTERS buffer}. */
  @Override
  public String toString() {
    return IntStream.range(0, choices.length)
        .mapToObj(f -> chosen(f).call().name() + " " + chosen(f).lowHalf())
        .collect(Collectors.joining(", "));
  }
}
