package org.flowmon.udaf.quantile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.apache.datasketches.kll.KllSketch;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractStreams;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.ObjectSize;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

class QuantilesTest {
  private static final Udafs FUNCTIONS = Udafs.load(QuantilesTest.class.getClassLoader());

  private static BoundUdaf bind(ValueKind kind, Value... parameters) {
    List<Argument> arguments = new ArrayList<>();
    arguments.add(Argument.ofRows(kind));
    Arrays.stream(parameters).map(Argument::of).forEach(arguments::add);
    return FUNCTIONS.bind("quantiles", arguments);
  }

  private static Estimate extract(
      BoundUdaf function, SuperState state, String name, Value... values) {
    List<Argument> arguments = Arrays.stream(values).map(Argument::of).toList();
    return (Estimate) FUNCTIONS.bindExtractor(function, name, arguments).extract(state);
  }

  /** Sub-states of values, in their order, flushed only if the pad is full. */
  private static List<byte[]> send(BoundUdaf function, long[] values) {
    SubAggregate low = function.subAggregate();
    long[] pad = new long[low.words()];
    low.initialize(pad, 0);
    Vector vector = new Vector(ValueKind.LONG);
    int[] selection = new int[Vector.CAPACITY];
    int[] places = new int[Vector.CAPACITY];
    Arrays.setAll(selection, i -> i);
    List<byte[]> sent = new ArrayList<>();
    for (int begin = 0; begin < values.length; begin += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, values.length - begin);
      System.arraycopy(values, begin, vector.values(), 0, count);
      vector.setAllValid(count);
      Vector[] arguments = {vector};
      int next = low.iterate(arguments, selection, 0, count, pad, places, 0);
      while (next < count) {
        flush(low, pad, sent);
        next = low.iterate(arguments, selection, next, count, pad, places, 0);
      }
    }
    flush(low, pad, sent);
    return sent;
  }

  private static void flush(SubAggregate low, long[] pad, List<byte[]> sent) {
    StateSink sink = new StateSink();
    low.output(pad, 0, sink);
    sent.add(sink.toBytes());
    low.initialize(pad, 0);
  }

  private static SuperState merged(BoundUdaf function, long... values) {
    SuperState state = function.superAggregate().initialize();
    send(function, values).forEach(bytes -> ContractStreams.merge(state, bytes));
    return state;
  }

  @Test
  void chosenValuesShareNoSlotsOfAnExactQuantile() {
    long inverse =
        BigInteger.valueOf(0x9E3779B97F4A7C15L)
            .modInverse(BigInteger.ONE.shiftLeft(64))
            .longValue();
    long[] values = new long[20_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (i + 1) * inverse; // times the previous multiplier: a number below 2^15
    }
    SuperState state = merged(bind(ValueKind.LONG, Value.ofLong(0)), values);
    long displacement = ((ExactAggregate.State) state).displacement();
    assertTrue(displacement < 4L * values.length, displacement + " slots");
  }

  @Test
  void interruptEndsTheSortOfAnExactQuantileWhichCanBeAskedAgain() {
    BoundUdaf function = bind(ValueKind.LONG, Value.ofLong(0));
    SuperState state = merged(function, new Random(1).longs(5000).toArray());
    Thread.currentThread().interrupt();
    try {
      assertThrows(CancellationException.class, () -> extract(function, state, "MEDIAN"));
    } finally {
      assertTrue(Thread.interrupted(), "the interrupt stays for others");
    }
    long[] sorted = new Random(1).longs(5000).sorted().toArray();
    Estimate median = Estimate.exact(Value.ofLong(sorted[2499]));
    assertEquals(median, extract(function, state, "MEDIAN"));
  }

  @Test
  void smallGroupsAreExact() {
    for (String strategy : List.of("lite", "medium", "heavy", "kll")) {
      BoundUdaf function = bind(ValueKind.LONG, Value.ofDouble(0.01), Value.ofText(strategy));
      SuperState state = merged(function, 5, 1, 9, 9, 7, 3, 9, 2, 8, 6);
      assertEquals(Estimate.exact(Value.ofLong(6)), extract(function, state, "MEDIAN"), strategy);
      assertEquals(
          Estimate.exact(Value.ofLong(9)),
          extract(function, state, "QUANTILE", Value.ofDouble(0.71)),
          strategy);
      assertEquals(
          Estimate.exact(Value.ofLong(8)),
          extract(function, state, "QUANTILE", Value.ofDouble(0.7)),
          strategy);
      assertEquals(
          Estimate.exact(Value.ofLong(1)),
          extract(function, state, "QUANTILE", Value.ofLong(0)),
          strategy);
      assertEquals(
          Estimate.exact(Value.ofLong(10)),
          extract(function, state, "RANK", Value.ofLong(9)),
          strategy);
      assertEquals(
          Estimate.exact(Value.ofLong(0)),
          extract(function, state, "RANK", Value.ofLong(0)),
          strategy);
      assertTrue(state.memoryBytes() < 400, strategy + ": " + state.memoryBytes());
    }
  }

  @Test
  void doublesAreOrderedWithOneZeroAndNaNAboveAll() {
    BoundUdaf function = bind(ValueKind.DOUBLE);
    SuperState state = function.superAggregate().initialize();
    long[] bits =
        Arrays.stream(new double[] {-1.5, 0.0, -0.0, 1e300, Double.NaN, Double.NEGATIVE_INFINITY})
            .mapToLong(Double::doubleToRawLongBits)
            .toArray();
    send(function, bits).forEach(bytes -> ContractStreams.merge(state, bytes));
    double[] found = new double[6];
    for (int i = 0; i < found.length; i++) {
      Value share = Value.ofDouble((i + 1) / 6.0 - 0.01);
      found[i] = extract(function, state, "QUANTILE", share).value().asDouble();
    }
    assertEquals("[-Infinity, -1.5, 0.0, 0.0, 1.0E300, NaN]", Arrays.toString(found));
    assertEquals(
        Estimate.exact(Value.ofLong(4)), extract(function, state, "RANK", Value.ofLong(0)));
  }

  @Test
  void theBestKnownBoundIsStatedNotTheWorst() {
    BoundUdaf function = bind(ValueKind.LONG, Value.ofDouble(0.1));
    SuperState state = merged(function, new Random(1).longs(10_000).toArray());
    Estimate median = extract(function, state, "MEDIAN");
    assertTrue(median.lower().low() < median.upper().low());
    double said = FUNCTIONS.bindExtractor(function, "MEDIAN", List.of()).bound(state).value();
    assertTrue(said > 0 && said <= 1000, "said " + said);
  }

  @Test
  void statesOfOrdinaryStreamsDoNotGrowWithThem() {
    Random random = new Random(7);
    for (String strategy : List.of("lite", "medium", "heavy", "kll")) {
      BoundUdaf function = bind(ValueKind.LONG, Value.ofDouble(0.02), Value.ofText(strategy));
      List<byte[]> sent = send(function, random.longs(60_000).toArray());
      // One after the other, and as 30 panes.
      SuperAggregate high = function.superAggregate();
      SuperState one = high.initialize();
      List<SuperState> panes = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        ContractStreams.merge(one, sent.get(i));
        if (i * 30 / sent.size() >= panes.size()) {
          panes.add(high.initialize());
        }
        ContractStreams.merge(panes.get(panes.size() - 1), sent.get(i));
      }
      SuperState window = high.initialize();
      panes.forEach(window::merge);
      assertTrue(one.memoryBytes() < 14_000, strategy + ": " + one.memoryBytes());
      assertTrue(window.memoryBytes() < 20_000, strategy + ": " + window.memoryBytes());
    }
  }

  @Test
  void summariesInTheScratchpadReduceWhatIsSent() {
    long[] values = new Random(8).longs(50_000, 0, 1_000_000).toArray();
    long lite = bytes(send(bind(ValueKind.LONG, Value.ofDouble(0.02)), values));
    for (String strategy : List.of("medium", "heavy")) {
      BoundUdaf function = bind(ValueKind.LONG, Value.ofDouble(0.02), Value.ofText(strategy));
      long sent = bytes(send(function, values));
      assertTrue(sent < lite / 4, strategy + " sends " + sent + " bytes, lite " + lite);
    }
  }

  private static long bytes(List<byte[]> sent) {
    return sent.stream().mapToLong(bytes -> bytes.length).sum();
  }

  private static void refuses(String message, int argument, Runnable call) {
    UdafException e = assertThrows(UdafException.class, call::run);
    assertEquals(message, e.getMessage());
    assertEquals(argument, e.argument());
  }

  @Test
  void wrongCallsSayWhatWasExpected() {
    String signature = "QUANTILES(x [, epsilon [, strategy [, words]]]): ";
    refuses(
        signature + "expected x to be LONG or DURATION or TIMESTAMP or DOUBLE, found ADDRESS",
        0,
        () -> bind(ValueKind.ADDRESS));
    refuses(
        signature + "expected epsilon to be a number from 0 to 0.5, found 2",
        1,
        () -> bind(ValueKind.LONG, Value.ofLong(2)));
    refuses(
        signature
            + "expected epsilon to be 0, which is exact, or a number from 0.0001 to 0.5, found"
            + " 1.0E-5",
        1,
        () -> bind(ValueKind.LONG, Value.ofDouble(0.00001)));
    refuses(
        signature + "expected strategy if epsilon is 0 to be one of 'lite', 'auto', found 'kll'",
        2,
        () -> bind(ValueKind.LONG, Value.ofLong(0), Value.ofText("kll")));
    refuses(
        signature
            + "expected strategy to be one of 'auto', 'lite', 'medium', 'heavy', 'kll', found"
            + " 'light'",
        2,
        () -> bind(ValueKind.LONG, Value.ofDouble(0.1), Value.ofText("light")));
    refuses(
        signature + "expected words to be a whole number from 16 to 4096, found 3",
        3,
        () -> bind(ValueKind.LONG, Value.ofDouble(0.1), Value.ofText("lite"), Value.ofLong(3)));
    BoundUdaf function = bind(ValueKind.DURATION);
    SuperState state = function.superAggregate().initialize();
    refuses(
        "QUANTILE(state, share): expected share to be a number from 0 to 1, found 95",
        0,
        () -> extract(function, state, "quantile", Value.ofLong(95)));
    refuses(
        "RANK(state, value): expected value to be a DURATION, found 5",
        0,
        () -> extract(function, state, "RANK", Value.ofLong(5)));
    refuses(
        "states of QUANTILES have no extractor 'TOP'; expected one of QUANTILE, MEDIAN, MIDDLE,"
            + " RANK, COUNT",
        -1,
        () -> extract(function, state, "TOP"));
  }

  @Test
  void anExactStateHasEachDifferentValueOnceAndIsChargedForIt() {
    BoundUdaf exact = bind(ValueKind.LONG, Value.ofLong(0));
    assertTrue(exact.isExact());
    assertEquals("QUANTILES(LONG, 0)", exact.stateType());
    assertEquals(List.of(exact), exact.choices());
    Random random = new Random(13);
    long charged = 0;
    for (int different : new int[] {1, 7, 1000, 60_000}) {
      long[] values = random.longs(100_000, 0, different).map(v -> v * v - 3).toArray();
      SuperState state = merged(exact, values);
      long most = 400 + 100L * different;
      assertTrue(state.chargedBytes() < most, different + " values: " + state.chargedBytes());
      assertTrue(state.chargedBytes() > charged);
      charged = state.chargedBytes();
      Arrays.sort(values);
      for (double share : new double[] {0, 0.001, 0.5, 0.9999, 1}) {
        long rank =
            Math.max(
                1,
                BigDecimal.valueOf(share)
                    .multiply(BigDecimal.valueOf(100_000))
                    .setScale(0, RoundingMode.CEILING)
                    .longValue());
        assertEquals(
            Estimate.exact(Value.ofLong(values[(int) rank - 1])),
            extract(exact, state, "QUANTILE", Value.ofDouble(share)));
      }
      assertTrue(state.memoryBytes() <= state.chargedBytes());
    }
    SuperState summary = merged(bind(ValueKind.LONG), new Random(5).longs(5000).toArray());
    StateFormatException e =
        assertThrows(
            StateFormatException.class,
            () ->
                ContractStreams.merge(
                    exact.superAggregate().initialize(), ContractStreams.bytes(summary)));
    assertTrue(e.getMessage().contains("expected gaps of at most 0"), e.getMessage());
  }

  @Test
  void statesOfExactQuantilesMergeAsTheirBytesDo() {
    BoundUdaf exact = bind(ValueKind.LONG, Value.ofDouble(0));
    SuperState state = merged(exact, new long[] {7});
    for (int doubled = 0; doubled < 62; doubled++) {
      ContractStreams.merge(state, ContractStreams.bytes(state));
    }
    byte[] before = ContractStreams.bytes(state);
    SuperState one = merged(exact, new long[] {8});
    StateFormatException e = assertThrows(StateFormatException.class, () -> state.merge(one));
    assertTrue(e.getMessage().contains("more than 2^62 values together"), e.getMessage());
    assertArrayEquals(before, ContractStreams.bytes(state));
  }

  /** Some copies of each value; the state of a sketch takes them as one item of that weight. */
  private static byte[] copies(BoundUdaf kll, long[] values, int doubled) {
    SuperState state = merged(kll, values);
    for (int i = 0; i < doubled; i++) {
      ContractStreams.merge(state, ContractStreams.bytes(state));
    }
    return ContractStreams.bytes(state);
  }

  @Test
  void aKllStateOfHeavyValuesSaysNoLessThanItTakesOnceItIsAsked() throws Exception {
    for (double epsilon : new double[] {0.3, 0.05, 0.01, 0.002}) {
      BoundUdaf kll = bind(ValueKind.LONG, Value.ofDouble(epsilon), Value.ofText("kll"));
      int k = KllAggregate.k(epsilon);
      Random random = new Random(17);
      for (int round = 0; round < 20; round++) {
        SuperState state = merged(kll, random.longs(k + 1).toArray());
        for (int i = 0; i < 12; i++) {
          long[] values = random.longs(1 + random.nextInt(Math.min(k, 20))).toArray();
          ContractStreams.merge(state, copies(kll, values, random.nextInt(1 + 4 * i)));
          extract(kll, state, "MEDIAN");
          String where = kll.call() + ", round " + round + ", merge " + i + ", seed 17";
          long truth = ObjectSize.of(state);
          assertTrue(
              state.memoryBytes() >= truth, where + ": " + state.memoryBytes() + " of " + truth);
          assertTrue(state.memoryBytes() <= 4 * truth + 500, where + ": " + state.memoryBytes());
          assertTrue(state.chargedBytes() >= state.memoryBytes(), where);
        }
      }
    }
  }

  @Test
  void aKllStateTakesValuesOfAnyWeightAndIsReadAgain() {
    BoundUdaf kll = bind(ValueKind.LONG, Value.ofDouble(0.3), Value.ofText("kll"));
    for (int doubled = 57; doubled <= 61; doubled++) {
      SuperState state = merged(kll, new Random(1).longs(100, 0, 1000).toArray());
      ContractStreams.merge(state, copies(kll, new long[] {5000}, doubled));
      SuperState again = kll.superAggregate().initialize();
      ContractStreams.merge(again, ContractStreams.bytes(state));
      Value count = Value.ofLong((1L << doubled) + 100);
      assertEquals(Estimate.exact(count), extract(kll, again, "COUNT"));
      assertEquals(Value.ofLong(5000), extract(kll, again, "MEDIAN").value());
    }
  }

  @Test
  void aKllStateOfTheCoarsestEpsilonTakesMoreValuesThanItKeeps() {
    BoundUdaf kll = bind(ValueKind.LONG, Value.ofDouble(0.5), Value.ofText("kll"));
    SuperState state = merged(kll, new Random(2).longs(1000, 0, 1000).toArray());
    assertEquals(Estimate.exact(Value.ofLong(1000)), extract(kll, state, "COUNT"));
    SuperState again = kll.superAggregate().initialize();
    ContractStreams.merge(again, ContractStreams.bytes(state));
    assertEquals(extract(kll, state, "MEDIAN"), extract(kll, again, "MEDIAN"));
  }

  @Test
  void whatAKllStateTakesIsToldWithoutAllocating() {
    BoundUdaf function = bind(ValueKind.LONG, Value.ofDouble(0.05), Value.ofText("kll"));
    Random random = new Random(3);
    SuperState state = merged(function, random.longs(100_000).toArray());
    var threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    long own = Thread.currentThread().getId();
    long sum = state.memoryBytes() + state.chargedBytes();
    long before = threads.getThreadAllocatedBytes(own);
    for (int i = 0; i < 1000; i++) {
      sum += state.memoryBytes() + state.chargedBytes();
    }
    long allocated = threads.getThreadAllocatedBytes(own) - before;
    assertTrue(sum > 0 && allocated < 1000, allocated + " bytes for 2,000 answers");
  }

  @Test
  void aStateWithALargerErrorThanIsSaidIsRefused() {
    BoundUdaf coarse = bind(ValueKind.LONG, Value.ofDouble(0.1));
    BoundUdaf fine = bind(ValueKind.LONG, Value.ofDouble(0.001));
    byte[] bytes = ContractStreams.bytes(merged(coarse, new Random(5).longs(5000).toArray()));
    SuperState target = fine.superAggregate().initialize();
    StateFormatException e =
        assertThrows(StateFormatException.class, () -> ContractStreams.merge(target, bytes));
    assertTrue(
        e.getMessage().contains("expected gaps of at most 10 in a summary of 5000 values, found "),
        e.getMessage());
  }

  @Test
  void aSketchIsAsFineAsTheFinestEpsilonAsks() {
    for (double epsilon : new double[] {0.0001, 0.001, 0.01, 0.1, 0.5}) {
      double reached = KllSketch.getNormalizedRankError(KllAggregate.k(epsilon), false);
      assertTrue(reached <= epsilon, epsilon + " gives " + reached);
    }
  }

  @Test
  void statesOfOneEpsilonAndKindMergeWhateverTheLowHalfWas() {
    BoundUdaf lite = bind(ValueKind.LONG, Value.ofDouble(0.05), Value.ofText("LITE"));
    BoundUdaf heavy =
        bind(ValueKind.LONG, Value.ofDouble(0.05), Value.ofText("heavy"), Value.ofLong(100));
    BoundUdaf kll = bind(ValueKind.LONG, Value.ofDouble(0.05), Value.ofText("kll"));
    assertEquals("QUANTILES(LONG, 0.05)", lite.stateType());
    assertEquals(lite.stateType(), heavy.stateType());
    assertEquals("QUANTILES(LONG, 0.05, 'kll')", kll.stateType());
    assertNotEquals(lite.stateType(), bind(ValueKind.DURATION, Value.ofDouble(0.05)).stateType());
    SuperState state = merged(lite, new Random(1).longs(5000).toArray());
    SuperState other = merged(heavy, new Random(2).longs(5000).toArray());
    ContractStreams.merge(state, ContractStreams.bytes(other));
    assertEquals(Estimate.exact(Value.ofLong(10_000)), extract(lite, state, "COUNT"));
    SuperState sketch = kll.superAggregate().initialize();
    StateFormatException e =
        assertThrows(
            StateFormatException.class,
            () -> ContractStreams.merge(sketch, ContractStreams.bytes(other)));
    assertTrue(e.getMessage().endsWith("form 3 is not one of a KLL sketch"), e.getMessage());
  }
}
