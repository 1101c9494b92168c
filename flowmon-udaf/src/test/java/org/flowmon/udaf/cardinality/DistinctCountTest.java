package org.flowmon.udaf.cardinality;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractStreams;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

class DistinctCountTest {
  private static final Udaf[] FUNCTIONS = {new ApproxCountDistinct(), new DistinctSample()};

  private static BoundUdaf bind(Udaf function, List<ValueKind> kinds, Object... parameters) {
    List<UdafCall.Argument> arguments = new ArrayList<>();
    kinds.forEach(kind -> arguments.add(UdafCall.Argument.ofRows(kind)));
    for (Object parameter : parameters) {
      arguments.add(
          UdafCall.Argument.of(
              parameter instanceof String text
                  ? Value.ofText(text)
                  : Value.ofLong(((Number) parameter).longValue())));
    }
    return function.bind(new UdafCall(function.name(), function.signature(), arguments));
  }

  private static Estimate extract(
      BoundUdaf function, Extractor extractor, SuperState state, long... parameters) {
    List<UdafCall.Argument> arguments =
        Arrays.stream(parameters).mapToObj(p -> UdafCall.Argument.of(Value.ofLong(p))).toList();
    UdafCall call = new UdafCall(extractor.name(), extractor.signature(), arguments);
    Estimate estimate = (Estimate) extractor.bind(function, call).extract(state);
    ErrorBound bound = extractor.bind(function, call).bound(state);
    assertEquals(estimate.isExact(), bound.isExact() || estimate.isExact(), "" + bound);
    return estimate;
  }

  private static Estimate count(BoundUdaf function, SuperState state) {
    return extract(function, CountExtractor.CARDINALITY, state);
  }

  private static List<byte[]> low(
      BoundUdaf function, List<ValueKind> kinds, List<List<Value>> rows, Random random) {
    TestRows all = TestRows.of(kinds.toArray(new ValueKind[0]), rows);
    return ContractStreams.subStates(function, all, random);
  }

  private static SuperState merged(BoundUdaf function, List<byte[]> states, Random random) {
    return ContractStreams.merged(
        function.superAggregate(), states, ContractStreams.Tree.RANDOM, random);
  }

  private static void merge(SuperState state, byte[] bytes) {
    ContractStreams.merge(state, bytes);
  }

  private static byte[] bytes(SuperState state) {
    return ContractStreams.bytes(state);
  }

  private static SuperState state(
      BoundUdaf function, List<ValueKind> kinds, List<List<Value>> rows, Random random) {
    return merged(function, low(function, kinds, rows, random), random);
  }

  private static List<List<Value>> numbers(long from, long to, int times) {
    List<List<Value>> rows = new ArrayList<>();
    for (int t = 0; t < times; t++) {
      for (long n = from; n < to; n++) {
        rows.add(List.of(Value.ofLong(n)));
      }
    }
    return rows;
  }

  @Test
  void smallSetsAreExactWhateverTheirValues() {
    List<ValueKind> kinds =
        List.of(ValueKind.ADDRESS, ValueKind.TEXT, ValueKind.DOUBLE, ValueKind.LONG);
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      Set<List<Object>> expected = new HashSet<>();
      List<List<Value>> rows = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        Value[] values = {
          random.nextBoolean()
              ? Value.ofAddress(0, IpAddress.ipv4Low(random.nextInt(4)))
              : Value.ofAddress(random.nextInt(2), random.nextInt(2)),
          Value.ofText(random.nextBoolean() ? "" : "t" + random.nextInt(3)),
          Value.ofDouble(new double[] {0.0, -0.0, Double.NaN, 1.5}[random.nextInt(4)]),
          random.nextInt(9) == 0 ? Value.NULL : Value.ofLong(random.nextInt(2) - 1)
        };
        rows.add(List.of(values));
        if (!values[3].isNull()) {
          double number = values[2].asDouble();
          expected.add(
              List.of(values[0], values[1].text(), number == 0 ? 0.0 : number, values[3].low()));
        }
      }
      for (Udaf function : FUNCTIONS) {
        BoundUdaf bound = bind(function, kinds);
        assertEquals(
            Estimate.exact(Value.ofLong(expected.size())),
            count(bound, state(bound, kinds, rows, random)),
            "seed " + seed + ", " + bound.call());
      }
    }
  }

  /** The hash of one word is a bijection, so these counts are exact. */
  @Test
  void setsAreExactUpToTheirLimitAndBoundedBeyond() {
    List<ValueKind> kinds = List.of(ValueKind.LONG);
    for (int more = 0; more <= 1; more++) {
      BoundUdaf approximate = bind(new ApproxCountDistinct(), kinds, 10);
      SuperState state = state(approximate, kinds, numbers(0, 128 + more, 3), new Random(1));
      assertEquals(more == 0, count(approximate, state).isExact());
      assertTrue(state.memoryBytes() < 3000, state.memoryBytes() + " bytes");
      BoundUdaf sample = bind(new DistinctSample(), kinds, 100);
      state = state(sample, kinds, numbers(0, 100 + more, 3), new Random(1));
      assertEquals(more == 0, count(sample, state).isExact());
    }
  }

  /** Bounds of about two standard errors, stated as 95%. */
  @Test
  void boundsHoldAsOftenAsTheyClaim() {
    for (Udaf function : FUNCTIONS) {
      for (int size : new int[] {200, 1000, 20_000}) {
        BoundUdaf bound =
            bind(function, List.of(ValueKind.LONG), function == FUNCTIONS[0] ? 8 : 128);
        int trials = 1500;
        int failures = 0;
        double errors = 0;
        for (int trial = 0; trial < trials; trial++) {
          SuperState state = bound.superAggregate().initialize();
          long first = 1_000_000L * trial;
          merge(state, hashes(bound, first, first + size));
          Estimate estimate = count(bound, state);
          boolean holds = estimate.lower().low() <= size && size <= estimate.upper().low();
          failures += holds ? 0 : 1;
          errors += (double) estimate.value().low() / size - 1;
        }
        String at = function.name() + " of " + size + ": " + failures + " failures of " + trials;
        System.out.println(at + ", mean error " + errors / trials);
        assertTrue(failures > 0 && failures <= 0.05 * trials + 3 * Math.sqrt(0.0475 * trials), at);
        assertTrue(Math.abs(errors / trials) < 0.012, at + ", mean error " + errors / trials);
      }
    }
  }

  /** The sub-state of numbers, without a low half of many flushes. */
  private static byte[] hashes(BoundUdaf function, long from, long to) {
    boolean counted = function.call().name().equals("DISTINCT_SAMPLE");
    Vector vector = new Vector(ValueKind.LONG);
    vector.setAllValid(1);
    Vector[] arguments = {vector};
    StateSink sink = new StateSink();
    sink.putByte(counted ? 40 : 32);
    if (counted) {
      sink.putByte(1);
    }
    for (long n = from; n < to; n++) {
      vector.values()[0] = n;
      long hash = RowHash.of(arguments, 0);
      sink.putLong(counted ? SampledValues.sampleHash(hash) : hash);
      if (counted) {
        sink.putByte(1);
      }
    }
    return sink.toBytes();
  }

  @Test
  void statesOfTheSameRowsAreEqualWhicheverWayTheyCameAbout() {
    List<ValueKind> kinds = List.of(ValueKind.LONG, ValueKind.LONG);
    for (Udaf function : FUNCTIONS) {
      BoundUdaf bound = bind(function, kinds, function == FUNCTIONS[0] ? 9 : 64);
      for (int rows : new int[] {0, 1, 60, 500, 5000}) {
        List<List<Value>> all = new ArrayList<>();
        Random values = new Random(rows);
        for (int i = 0; i < rows; i++) {
          all.add(List.of(Value.ofLong(values.nextInt(40)), Value.ofLong(values.nextInt(50))));
        }
        byte[] expected = bytes(state(bound, kinds, all, new Random(1)));
        for (long seed = 2; seed < 12; seed++) {
          Random random = new Random(seed);
          Collections.shuffle(all, random);
          SuperState state = state(bound, kinds, all, random);
          assertArrayEquals(expected, bytes(state), function.name() + ", seed " + seed);
          SuperState again = bound.superAggregate().initialize();
          merge(again, expected);
          assertEquals(count(bound, state), count(bound, again));
        }
      }
    }
  }

  @Test
  void rareValuesAreCountedExactlyOrWithinTheirBound() {
    List<ValueKind> kinds = List.of(ValueKind.LONG);
    int failures = 0;
    int trials = 0;
    for (long seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      List<List<Value>> rows = new ArrayList<>();
      Map<Long, Integer> times = new HashMap<>();
      int size = seed % 2 == 0 ? 90 : 4000;
      for (int i = 0; i < size; i++) {
        long value = seed * 100_000 + (long) Math.pow(20_000, random.nextDouble());
        rows.add(List.of(Value.ofLong(value)));
        times.merge(value, 1, Integer::sum);
      }
      BoundUdaf function = bind(new DistinctSample(), kinds, 128);
      SuperState state = state(function, kinds, rows, random);
      for (int most : new int[] {1, 2, 5}) {
        long rare = times.values().stream().filter(t -> t <= most).count();
        Estimate estimate = extract(function, CountExtractor.RARE, state, most);
        if (times.size() <= 128) {
          assertEquals(Estimate.exact(Value.ofLong(rare)), estimate, "seed " + seed);
        } else {
          trials++;
          boolean holds = estimate.lower().low() <= rare && rare <= estimate.upper().low();
          failures += holds ? 0 : 1;
        }
      }
    }
    System.out.println("rare: " + failures + " failures of " + trials);
    assertTrue(trials > 80 && failures <= 0.05 * trials + 3 * Math.sqrt(0.0475 * trials));
  }

  @Test
  void setOperationsAgreeWithSets() {
    List<ValueKind> kinds = List.of(ValueKind.LONG);
    int failures = 0;
    int trials = 0;
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      int size = seed % 3 == 0 ? 100 : 3000;
      long first = seed * 1_000_000;
      long shift = random.nextInt(size);
      BoundUdaf function = bind(new DistinctSample(), kinds, 256);
      // the second is shorter: their thetas differ
      SuperState a = state(function, kinds, numbers(first, first + size, 1), random);
      long end = Math.max(first + shift, first + size * 3L / 4);
      SuperState b = state(function, kinds, numbers(first + shift, end, 2), random);
      long common = end - first - shift;
      byte[] before = bytes(a);
      DistinctSets sets = new DistinctSets(function, a, b);
      long[] expected = {size, common, size - common};
      SuperState[] results = {sets.union(), sets.intersection(), sets.difference()};
      for (int i = 0; i < 3; i++) {
        Estimate estimate = count(function, results[i]);
        if (size <= 100) {
          assertEquals(Estimate.exact(Value.ofLong(expected[i])), estimate, "seed " + seed);
        } else {
          trials++;
          failures +=
              estimate.lower().low() <= expected[i] && expected[i] <= estimate.upper().low()
                  ? 0
                  : 1;
        }
        SuperState again = function.superAggregate().initialize();
        merge(again, bytes(results[i]));
        assertEquals(estimate, count(function, again), "a result is a state");
      }
      assertArrayEquals(before, bytes(a));
    }
    System.out.println("sets: " + failures + " failures of " + trials);
    assertTrue(trials > 150 && failures <= 0.05 * trials + 3 * Math.sqrt(0.0475 * trials));
  }

  @Test
  void changedBytesAreRefusedOrAStateAndNothingElse() {
    List<ValueKind> kinds = List.of(ValueKind.LONG);
    int refused = 0;
    int taken = 0;
    for (Udaf function : FUNCTIONS) {
      BoundUdaf bound = bind(function, kinds, function == FUNCTIONS[0] ? 7 : 32);
      for (long seed = 1; seed <= 20; seed++) {
        Random random = new Random(seed);
        List<byte[]> seeds = low(bound, kinds, numbers(0, 10 + seed * 20, 2), random);
        seeds.add(bytes(merged(bound, seeds, random)));
        for (byte[] original : seeds) {
          for (int i = 0; i < 200; i++) {
            byte[] changed = Arrays.copyOf(original, original.length);
            if (random.nextInt(4) == 0) {
              changed = Arrays.copyOf(original, random.nextInt(original.length + 20));
            } else if (original.length > 0) {
              int at =
                  random.nextInt(
                      random.nextBoolean() ? original.length : Math.min(12, original.length));
              changed[at] =
                  (byte)
                      (random.nextBoolean()
                          ? changed[at] ^ 1 << random.nextInt(8)
                          : random.nextInt());
            }
            SuperState state = bound.superAggregate().initialize();
            merge(state, seeds.get(0));
            byte[] before = bytes(state);
            try {
              merge(state, changed);
              taken++;
              count(bound, state);
              merge(bound.superAggregate().initialize(), bytes(state));
            } catch (StateFormatException e) {
              refused++;
              assertArrayEquals(before, bytes(state), "changed by what was refused");
            }
          }
        }
      }
    }
    assertTrue(refused > 2000 && taken > 1000, refused + " refused, " + taken + " taken");
  }

  @Test
  void wrongCallsAreNamed() {
    List<ValueKind> kinds = List.of(ValueKind.LONG);
    assertRefused("a precision to be a whole number from 7 to 16, found 40", 0, kinds, 40);
    assertRefused("a size k to be a whole number from 16", 1, kinds, "many");
    assertRefused("expected a value, found 0 arguments", 1, List.of());
    BoundUdaf function = bind(FUNCTIONS[0], List.of(ValueKind.ADDRESS, ValueKind.LONG));
    assertEquals("APPROX_COUNT_DISTINCT(ADDRESS, LONG, 12)", function.call().toString());
    assertEquals("APPROX_COUNT_DISTINCT(ADDRESS, LONG, 12)", function.stateType());
    SuperState state = function.superAggregate().initialize();
    assertThrows(UdafException.class, () -> new DistinctSets(function, state, state));
  }

  private static void assertRefused(
      String expected, int function, List<ValueKind> kinds, Object... parameters) {
    UdafException error =
        assertThrows(UdafException.class, () -> bind(FUNCTIONS[function], kinds, parameters));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }
}
