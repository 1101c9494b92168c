package org.flowmon.udaf.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.flowmon.udaf.window.CountedFunction;
import org.junit.jupiter.api.Test;

/**
 * The low half chosen for streams of uniform and skewed groups, few and many, of few and many
 * values, by counted costs: at most a tenth above the cheapest table with one fixed low half.
 */
class LowHalfTunerTest {
  private static final int EPOCH = 150 * Vector.CAPACITY;
  private static final int SLOTS = 8192;
  private static final Udafs FUNCTIONS = Udafs.load(LowHalfTunerTest.class.getClassLoader());
  // As measured with many values; pads of a hash table cost by their rows alone.
  private static final Map<String, Integer> NANOS_OF_ROW =
      Map.of("lite", 8, "medium", 110, "heavy", 60, "buffer", 13, "hash", 45, "compress", 42);

  private final AtomicLong clock = new AtomicLong();
  private final Vector[] arguments;
  private final int[] selection = new int[Vector.CAPACITY];
  private final long[] hashes = new long[Vector.CAPACITY];
  private final int[] groups = new int[Vector.CAPACITY];

  LowHalfTunerTest() {
    arguments = new Vector[] {new Vector(ValueKind.LONG), new Vector(ValueKind.LONG)};
    Arrays.setAll(selection, i -> i);
  }

  /** Groups and values; skewed ones by a law near Zipf's. */
  private record Stream(int groups, int values, boolean skewed, long seed) {
    int draw(SplittableRandom random, int count) {
      return skewed
          ? (int) Math.min(count - 1.0, Math.pow(count + 1.0, random.nextDouble()) - 1)
          : random.nextInt(count);
    }
  }

  private void next(Stream stream, SplittableRandom random) {
    for (int i = 0; i < Vector.CAPACITY; i++) {
      groups[i] = stream.draw(random, stream.groups);
      long mixed = (groups[i] + 1) * 0x9E3779B97F4A7C15L;
      mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
      hashes[i] = mixed ^ mixed >>> 32;
      arguments[0].values()[i] = stream.draw(random, stream.values);
      arguments[1].values()[i] = 1L + random.nextInt(1000);
    }
    arguments[0].setAllValid(Vector.CAPACITY);
    arguments[1].setAllValid(Vector.CAPACITY);
  }

  private BoundUdaf quantiles() {
    return counted(
        FUNCTIONS.bind(
            "QUANTILES",
            List.of(Argument.ofRows(ValueKind.LONG), Argument.of(Value.ofDouble(0.01)))));
  }

  private BoundUdaf hitters() {
    return counted(
        FUNCTIONS.bind(
            "HEAVY_HITTERS",
            List.of(Argument.ofRows(ValueKind.LONG), Argument.ofRows(ValueKind.LONG))));
  }

  private BoundUdaf counted(BoundUdaf function) {
    return new CountedFunction(function, clock, NANOS_OF_ROW);
  }

  private LowHalfTuner tuner(BoundUdaf... functions) {
    List<LowHalfTuner.Tuned> tuned =
        Arrays.stream(functions)
            .map(
                f ->
                    new LowHalfTuner.Tuned(
                        0, f.choices(), f.arguments() == 1 ? List.of(0) : List.of(0, 1)))
            .toList();
    LowHalfTuner tuner = new LowHalfTuner(tuned, clock::get);
    for (int f = 0; f < functions.length; f++) {
      tuner.slots(f, new int[] {SLOTS, SLOTS, SLOTS});
    }
    return tuner;
  }

  private void run(LowHalfTuner tuner, Stream stream, int epochs) {
    SplittableRandom random = new SplittableRandom(stream.seed);
    for (int epoch = 0; epoch < epochs; epoch++) {
      for (int row = 0; row < EPOCH; row += Vector.CAPACITY) {
        next(stream, random);
        var unused = tuner.took(hashes, arguments, selection, Vector.CAPACITY, null, 0);
      }
      tuner.epochEnds();
    }
  }

  /** The cost of an epoch with one low half, with a pad for each group. */
  private long cost(BoundUdaf function, Stream stream) {
    SubAggregate low = function.subAggregate();
    SuperAggregate high = function.superAggregate();
    SplittableRandom random = new SplittableRandom(stream.seed + 1);
    Map<Integer, SuperState> states = new HashMap<>();
    long[] pads = new long[stream.groups * low.words()];
    StateSink sink = new StateSink();
    int[] places = new int[Vector.CAPACITY];
    long before = clock.get();
    for (int g = 0; g < stream.groups; g++) {
      low.initialize(pads, g * low.words());
    }
    for (int row = 0; row < EPOCH; row += Vector.CAPACITY) {
      next(stream, random);
      Arrays.setAll(places, i -> groups[i] * low.words());
      int at = 0;
      while (at < Vector.CAPACITY) {
        at = low.iterate(arguments, selection, at, Vector.CAPACITY, pads, places, 0);
        if (at < Vector.CAPACITY) {
          send(low, pads, groups[at], sink, states, high);
        }
      }
    }
    for (int g = 0; g < stream.groups; g++) {
      send(low, pads, g, sink, states, high);
    }
    return clock.get() - before;
  }

  private static void send(
      SubAggregate low,
      long[] pads,
      int group,
      StateSink sink,
      Map<Integer, SuperState> states,
      SuperAggregate high) {
    sink.clear();
    low.output(pads, group * low.words(), sink);
    low.initialize(pads, group * low.words());
    if (sink.size() > 0) {
      states.computeIfAbsent(group, g -> high.initialize()).merge(sink.reader("a sub-state"));
    }
  }

  @Test
  void theChoiceIsAtMostATenthAboveTheBestOnEveryStream() {
    Map<String, Integer> chosen = new HashMap<>();
    long seed = 0;
    for (int groups : new int[] {10, 100, 1000, 8000}) {
      for (int values : new int[] {6, 100, 100_000}) {
        for (boolean skewed : new boolean[] {false, true}) {
          Stream stream = new Stream(groups, values, skewed, ++seed);
          for (BoundUdaf function : List.of(quantiles(), hitters())) {
            LowHalfTuner tuner = tuner(function);
            run(tuner, stream, 16);
            long best = Long.MAX_VALUE;
            long ofChosen = 0;
            StringBuilder all = new StringBuilder();
            for (BoundUdaf choice : function.choices()) {
              long cost = cost(choice, stream);
              best = Math.min(best, cost);
              ofChosen = choice.lowHalf().equals(tuner.chosen(0).lowHalf()) ? cost : ofChosen;
              all.append(
                  String.format(Locale.ROOT, " %s %.1f", choice.lowHalf(), cost / (double) EPOCH));
            }
            String at = stream + ": chose " + tuner + " of" + all;
            assertTrue(ofChosen <= 1.1 * best, at);
            assertTrue(tuner.trials() >= 2, at);
            assertTrue(tuner.switches() <= 1, at);
            chosen.merge(tuner.chosen(0).lowHalf(), 1, Integer::sum);
          }
        }
      }
    }
    assertTrue(chosen.size() >= 4, "one answer to all streams is no choice: " + chosen);
  }

  @Test
  void aStreamThatChangesChangesTheChoice() {
    LowHalfTuner tuner = tuner(quantiles(), hitters());
    run(tuner, new Stream(8000, 100_000, false, 1), 3);
    assertEquals("QUANTILES lite, HEAVY_HITTERS buffer", tuner.toString());
    run(tuner, new Stream(10, 100_000, false, 2), 1500);
    assertEquals("QUANTILES heavy, HEAVY_HITTERS buffer", tuner.toString());
    run(tuner, new Stream(10, 6, false, 3), 2500);
    assertEquals("QUANTILES lite, HEAVY_HITTERS compress", tuner.toString());
    assertEquals(3, tuner.switches(), tuner.trials() + " trials");
  }

  @Test
  void theFirstTrialIsEarlyAndDecidesWhereAnotherCostsFarLess() {
    BoundUdaf function =
        FUNCTIONS.bind(
            "QUANTILES",
            List.of(Argument.ofRows(ValueKind.LONG), Argument.of(Value.ofDouble(0.01))));
    for (int groups : new int[] {1, 30, 100, 1000, 8000}) {
      Stream stream = new Stream(groups, 6, groups % 100 != 0, groups);
      for (int medium : new int[] {300, 950}) {
        Map<String, Integer> nanos = Map.of("lite", 1000, "medium", medium, "heavy", 2000);
        LowHalfTuner tuner = tuner(new CountedFunction(function, clock, nanos));
        SplittableRandom random = new SplittableRandom(stream.seed);
        long rows = 0;
        for (; tuner.trials() == 0; rows += Vector.CAPACITY) {
          assertTrue(rows < 3 * LowHalfTuner.FIRST_LOOK, stream::toString);
          next(stream, random);
          var unused = tuner.took(hashes, arguments, selection, Vector.CAPACITY, null, 0);
        }
        String chosen = medium == 300 ? "QUANTILES medium" : "QUANTILES lite";
        assertEquals(chosen, tuner.toString(), stream + " with medium " + medium);
      }
    }
  }

  @Test
  void trialsTakeAFiftiethOfTheRowsAndLessWhereTheyChangeNothing() {
    LowHalfTuner tuner = tuner(hitters());
    Stream stream = new Stream(5000, 100_000, false, 3);
    int epochs = 600;
    run(tuner, stream, epochs);
    long rows = (long) epochs * EPOCH;
    // The sample has at most 256 of 5000 groups, and each of three low halves goes through it.
    long least = 3L * 100 * EPOCH / 5000;
    assertTrue(tuner.trials() >= 3, tuner.trials() + " trials");
    assertTrue(
        tuner.trials() <= 2 + rows / (LowHalfTuner.ROWS_PER_PASS * least),
        tuner.trials() + " trials in " + rows + " rows");
    assertEquals(0, tuner.switches());
  }
}
