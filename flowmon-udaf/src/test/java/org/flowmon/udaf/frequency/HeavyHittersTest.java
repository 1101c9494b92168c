package org.flowmon.udaf.frequency;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

class HeavyHittersTest {
  private static final ValueKind[] KINDS = {ValueKind.ADDRESS, ValueKind.LONG};

  private static BoundUdaf function(ValueKind kind, Object... parameters) {
    List<UdafCall.Argument> arguments = new ArrayList<>();
    arguments.add(UdafCall.Argument.ofRows(kind));
    arguments.add(UdafCall.Argument.ofRows(ValueKind.LONG));
    for (Object parameter : parameters) {
      arguments.add(
          UdafCall.Argument.of(
              parameter instanceof String text
                  ? Value.ofText(text)
                  : Value.ofLong(((Number) parameter).longValue())));
    }
    return bind(arguments);
  }

  private static BoundUdaf bind(List<UdafCall.Argument> arguments) {
    HeavyHitters function = new HeavyHitters();
    return function.bind(new UdafCall(function.name(), function.signature(), arguments));
  }

  private static Object extract(
      BoundUdaf function, SuperState state, Extractor extractor, Value... parameters) {
    return bound(function, extractor, parameters).extract(state);
  }

  private static org.flowmon.udaf.function.BoundExtractor bound(
      BoundUdaf function, Extractor extractor, Value... parameters) {
    List<UdafCall.Argument> arguments =
        Arrays.stream(parameters).map(UdafCall.Argument::of).toList();
    return extractor.bind(
        function, new UdafCall(extractor.name(), extractor.signature(), arguments));
  }

  private static Estimate estimate(BoundUdaf function, SuperState state, Value item) {
    return (Estimate) extract(function, state, ItemExtractors.ESTIMATE, item);
  }

  private static List<Items.Item> above(BoundUdaf function, SuperState state, double share) {
    return ((Items) extract(function, state, ItemExtractors.ABOVE, Value.ofDouble(share))).items();
  }

  private static boolean isNarrow(Value item) {
    return item.kind() == ValueKind.ADDRESS
        ? IpAddress.isIpv4(item.high(), item.low())
        : item.low() >>> 32 == 0;
  }

  @Test
  void boundsHoldAndNoWeightIsLostWithEveryPairOfHalves() {
    long seed = 0;
    long narrowItems = 0;
    long narrowFailures = 0;
    for (Strategy strategy : Strategy.all()) {
      for (ValueKind kind : KINDS) {
        for (String name : ItemStream.names()) {
          seed++;
          Random random = new Random(seed);
          int width = 64 << random.nextInt(3);
          int depth = 1 + random.nextInt(3);
          BoundUdaf function = function(kind, width, depth, strategy.toString(), 64);
          ItemStream stream = ItemStream.of(name, kind, seed, 4000);
          String at = "seed " + seed + ", " + name + ", " + function.call();
          SuperState state = stream.state(function, random);
          assertEquals(
              Estimate.exact(Value.ofLong(stream.total)),
              extract(function, state, ItemExtractors.TOTAL),
              at);
          ErrorBound error =
              bound(function, ItemExtractors.ESTIMATE, stream.items.get(0)).bound(state);
          for (Map.Entry<Value, Long> entry : stream.exact.entrySet()) {
            Value item = entry.getKey();
            long weight = entry.getValue();
            Estimate estimate = estimate(function, state, item);
            assertTrue(estimate.upper().low() >= weight, at + ": " + item + " " + estimate);
            assertTrue(estimate.lower().low() <= estimate.value().low(), at);
            assertTrue(estimate.value().low() <= estimate.upper().low(), at);
            assertTrue(
                estimate.upper().low() - estimate.lower().low() <= error.value(),
                at + ": " + item + " " + estimate + " " + error);
            if (isNarrow(item) && strategy.high() != Strategy.High.FREQUENT) {
              narrowItems++;
              narrowFailures += estimate.lower().low() > weight ? 1 : 0;
            } else {
              assertTrue(estimate.lower().low() <= weight, at + ": " + item + " " + estimate);
            }
          }
        }
      }
    }
    System.out.println(
        "lower bounds above the weight: " + narrowFailures + " of " + narrowItems + ", 5% allowed");
    assertTrue(narrowFailures <= 0.05 * narrowItems, narrowFailures + " of " + narrowItems);
  }

  /**
   * The worst case of Markov's inequality: as many other items of one weight as possible, so that
   * one of them in the item's cell of each row is just too much. The probability is over hash
   * functions, which differ between trials.
   */
  @Test
  void aLowerBoundIsAboveTheWeightNoMoreOftenThanItsProbabilityAllows() {
    int width = 64;
    for (int depth = 1; depth <= 4; depth++) {
      int others = (int) (width / Math.pow(20, 1.0 / depth));
      int failures = 0;
      int trials = 3000;
      for (int trial = 0; trial < trials; trial++) {
        Random random = new Random(100_000L * depth + trial);
        SketchShape shape = new SketchShape(width, depth, random.nextLong(), random.nextLong());
        ItemWeights state =
            (ItemWeights) new SketchedAggregate(ValueKind.LONG, shape, 0).initialize();
        int chosen = random.nextInt();
        for (int i = 0; i < others; i++) {
          // in its network, so that only cells tell them apart
          state.add(
              0, IpAddress.ipv4Low((chosen & 0xFFFF_FF00) + (chosen + 1 + i & 0xFF)), 1_000_000);
        }
        state.add(0, IpAddress.ipv4Low(chosen), 1);
        failures += state.weight(0, IpAddress.ipv4Low(chosen)).lower() > 1 ? 1 : 0;
      }
      System.out.println("depth " + depth + ": " + failures + " of " + trials + ", 5% allowed");
      double allowed = 0.05 * trials + 3 * Math.sqrt(0.05 * 0.95 * trials);
      assertTrue(failures > 10 && failures <= allowed, "depth " + depth + ": " + failures);
    }
  }

  @Test
  void noItemAboveTheThresholdIsPassedOver() {
    long seed = 1000;
    for (Strategy strategy : Strategy.all()) {
      for (ValueKind kind : KINDS) {
        for (String name : new String[] {"zipf", "planted", "wide", "mixed"}) {
          seed++;
          BoundUdaf function = function(kind, 256, 2, strategy.toString());
          ItemStream stream = ItemStream.of(name, kind, seed, 6000);
          SuperState state = stream.state(function, new Random(seed));
          double share = 0.012;
          Map<Value, Estimate> found = new HashMap<>();
          long last = Long.MAX_VALUE;
          for (Items.Item item : above(function, state, share)) {
            assertEquals(null, found.put(item.key().get(0), item.estimate()));
            assertTrue(item.estimate().value().low() <= last, "in order");
            last = item.estimate().value().low();
            assertEquals(estimate(function, state, item.key().get(0)), item.estimate());
          }
          int heavy = 0;
          for (Map.Entry<Value, Long> entry : stream.exact.entrySet()) {
            if (entry.getValue() >= share * stream.total) {
              heavy++;
              assertTrue(
                  found.containsKey(entry.getKey()),
                  "seed " + seed + ", " + name + ", " + strategy + ": " + entry + " of " + found);
            }
          }
          assertTrue(heavy > 3, name + " has " + heavy + " heavy items");
          assertTrue(found.size() < 200, found.size() + " items of " + heavy);
        }
      }
    }
  }

  @Test
  void theTopItemsOfSkewedStreamsAreTheTrueOnes() {
    for (Strategy strategy : Strategy.all()) {
      for (long seed = 1; seed <= 5; seed++) {
        BoundUdaf function = function(ValueKind.ADDRESS, 1024, 3, strategy.toString());
        ItemStream stream = new ItemStream(ValueKind.ADDRESS);
        Random random = new Random(seed);
        for (int i = 0; i < 8000; i++) {
          stream.add(random.nextInt() & 0xFFFF_FFFFL, 1);
        }
        List<Value> planted = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          Value item =
              i % 2 == 0
                  ? Value.ofAddress(0, IpAddress.ipv4Low(random.nextInt()))
                  : Value.ofAddress(0x2A00_0000_0000_0000L | random.nextInt(), random.nextLong());
          planted.add(item);
          stream.add(item, 900 - 100L * i);
        }
        SuperState state = stream.state(function, random);
        Items top = (Items) extract(function, state, ItemExtractors.TOP, Value.ofLong(6));
        assertEquals(
            planted,
            top.items().stream().map(item -> item.key().get(0)).toList(),
            "seed " + seed + ", " + strategy + ": " + top);
      }
    }
  }

  /** As people call it: without parameters, over thousands of groups. */
  @Test
  void byDefaultNothingIsListedThatHasNoRowsAndBoundsHold() {
    BoundUdaf function = function(ValueKind.ADDRESS);
    int listed = 0;
    for (int group = 0; group < 2000; group++) {
      String name = ItemStream.names()[group % ItemStream.names().length];
      ItemStream stream = ItemStream.of(name, ValueKind.ADDRESS, group, 20 + group % 400);
      SuperState state = stream.state(function, new Random(group));
      Items top = (Items) extract(function, state, ItemExtractors.TOP, Value.ofLong(5));
      for (var item : top.items()) {
        String what = "group " + group + ", " + name + ": " + item;
        Long exact = stream.exact.get(item.key().get(0));
        assertTrue(exact != null, what);
        assertTrue(item.estimate().lower().low() <= exact, what + ", exactly " + exact);
        assertTrue(item.estimate().upper().low() >= exact, what + ", exactly " + exact);
        listed++;
      }
    }
    assertTrue(listed > 5000, "listed: " + listed);
  }

  /**
   * Count-min cells are sums: only the exact part up to a number of items could differ, and does
   * not.
   */
  @Test
  void sketchesOfTheSameRowsAreEqualWhicheverWayTheyCameAbout() {
    for (String strategy :
        List.of("buffer/direct", "hash/direct", "compress/adaptive", "sketch/sketch")) {
      BoundUdaf function = function(ValueKind.LONG, 64, 2, strategy, 64);
      for (String name : new String[] {"uniform", "zipf", "neighbours"}) {
        for (int rows : new int[] {40, 70, 3000}) {
          ItemStream stream = ItemStream.of(name, ValueKind.LONG, 7, rows);
          byte[] expected = ItemStream.bytes(stream.state(function, new Random(1)));
          for (long seed = 2; seed < 6; seed++) {
            SuperState other = stream.state(function, new Random(seed));
            assertArrayEquals(expected, ItemStream.bytes(other), strategy + ", seed " + seed);
          }
        }
      }
    }
  }

  @Test
  void smallGroupsAreExactAndSmall() {
    BoundUdaf function = function(ValueKind.ADDRESS, 256, 2);
    assertEquals(
        "HEAVY_HITTERS(ADDRESS, LONG, 256, 2, 'auto/adaptive', 64)", function.call().toString());
    for (int items : new int[] {0, 1, 63, 64, 65}) {
      ItemStream stream = new ItemStream(ValueKind.ADDRESS);
      for (int i = 0; i < 10 * items; i++) {
        stream.add(i % items * 65_537L, i);
      }
      SuperState state = stream.state(function, new Random(items));
      ErrorBound error = bound(function, ItemExtractors.TOP, Value.ofLong(1)).bound(state);
      assertEquals(items <= 64, error.isExact(), items + " items: " + error);
      assertEquals(
          items <= 64, state.memoryBytes() < 4000, items + " items: " + state.memoryBytes());
      if (items <= 64) {
        Map<Value, Long> found = new HashMap<>();
        above(function, state, 0)
            .forEach(item -> found.put(item.key().get(0), item.estimate().value().low()));
        assertEquals(stream.exact, found);
      }
    }
  }

  @Test
  void rowsOfNegativeWeightAreCountedApartAndThoseOfNoneLeftOut() {
    for (Strategy strategy : Strategy.all()) {
      BoundUdaf function = function(ValueKind.LONG, 64, 1, strategy.toString());
      ItemStream stream = new ItemStream(ValueKind.LONG);
      for (int i = 0; i < 50; i++) {
        stream.add(i % 7, i % 5 - 2);
      }
      SuperState state = stream.state(function, new Random(3));
      assertEquals(
          Estimate.exact(Value.ofLong(20)), extract(function, state, ItemExtractors.REFUSED));
      assertEquals(
          Estimate.exact(Value.ofLong(30)), extract(function, state, ItemExtractors.TOTAL));
      ItemStream refused = new ItemStream(ValueKind.LONG);
      refused.add(5, -1);
      state = refused.state(function, new Random(3));
      assertEquals(
          Estimate.exact(Value.ofLong(1)), extract(function, state, ItemExtractors.REFUSED));
    }
  }

  @Test
  void withoutWeightsEachRowWeighsOne() {
    BoundUdaf function = bind(List.of(UdafCall.Argument.ofRows(ValueKind.ADDRESS)));
    ItemStream stream = new ItemStream(ValueKind.ADDRESS);
    for (int i = 0; i < 300; i++) {
      stream.add(i % 10, 1);
    }
    SuperState state = stream.state(function, new Random(5));
    assertEquals(
        Estimate.exact(Value.ofLong(30)),
        estimate(function, state, Value.ofAddress(0, IpAddress.ipv4Low(3))));
    assertEquals(
        Estimate.exact(Value.ofLong(30)), estimate(function, state, Value.ofText("0.0.0.3")));
  }

  @Test
  void theSumOfWeightsIsInTheStateOfWhichEveryItemIsForgotten() {
    BoundUdaf function = function(ValueKind.LONG, 64, 2, "buffer/frequent");
    ItemStream stream = new ItemStream(ValueKind.LONG);
    for (int i = 0; i < 49; i++) {
      stream.add(i, 7); // one more than the kept ones, all as heavy as the median
    }
    SuperState state = function.superAggregate().initialize();
    for (byte[] bytes : stream.low(function, new Random(1))) {
      ItemStream.merge(state, bytes);
    }
    SuperState again = function.superAggregate().initialize();
    ItemStream.merge(again, ItemStream.bytes(state));
    assertEquals(
        Estimate.exact(Value.ofLong(49 * 7)), extract(function, again, ItemExtractors.TOTAL));
    assertEquals(7, estimate(function, again, Value.ofLong(3)).upper().low());
  }

  @Test
  void sumsBeyondSixtyThreeBitsStayAtTheirLimit() {
    for (Strategy strategy : Strategy.all()) {
      BoundUdaf function = function(ValueKind.LONG, 64, 2, strategy.toString());
      SuperState state = function.superAggregate().initialize();
      for (long item : new long[] {1, 1L << 40, 1, -1}) {
        ItemStream stream = new ItemStream(ValueKind.LONG);
        stream.add(item, Long.MAX_VALUE - 5);
        for (byte[] bytes : stream.low(function, new Random(1))) {
          ItemStream.merge(state, bytes);
        }
      }
      if (strategy.high() == Strategy.High.FREQUENT) {
        assertEquals(
            Long.MAX_VALUE,
            ((Estimate) extract(function, state, ItemExtractors.TOTAL)).value().low());
        continue;
      }
      assertEquals(Long.MAX_VALUE, estimate(function, state, Value.ofLong(1)).upper().low());
      SuperState again = function.superAggregate().initialize();
      ItemStream.merge(again, ItemStream.bytes(state));
      assertArrayEquals(ItemStream.bytes(state), ItemStream.bytes(again), strategy.toString());
    }
  }

  @Test
  void changedBytesAreRefusedOrAStateAndNothingElse() {
    int refused = 0;
    int taken = 0;
    for (Strategy strategy : Strategy.all()) {
      for (ValueKind kind : KINDS) {
        BoundUdaf function = function(kind, 16, 2, strategy.toString(), 8);
        for (long seed = 1; seed <= 4; seed++) {
          Random random = new Random(seed);
          ItemStream stream = ItemStream.of("mixed", kind, seed, seed == 1 ? 8 : 300);
          List<byte[]> seeds = stream.low(function, random);
          seeds.add(ItemStream.bytes(stream.state(function, random)));
          for (byte[] bytes : seeds) {
            for (int i = 0; i < 150; i++) {
              byte[] changed = change(bytes, random);
              SuperState state = function.superAggregate().initialize();
              ItemStream.merge(state, seeds.get(0));
              byte[] before = ItemStream.bytes(state);
              try {
                ItemStream.merge(state, changed);
                taken++;
                // the state taken out is a state like any other
                above(function, state, 0.2);
                SuperState again = function.superAggregate().initialize();
                ItemStream.merge(again, ItemStream.bytes(state));
              } catch (StateFormatException e) {
                refused++;
                assertArrayEquals(before, ItemStream.bytes(state), "changed by what was refused");
              }
            }
          }
        }
      }
    }
    assertTrue(refused > 3000 && taken > 100, refused + " refused, " + taken + " taken");
  }

  private static byte[] change(byte[] bytes, Random random) {
    byte[] changed = Arrays.copyOf(bytes, bytes.length);
    int how = random.nextInt(4);
    if (how == 0) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length + 20));
    }
    for (int i = 0; i < how && bytes.length > 0; i++) {
      // the counts are in the head
      int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(40, bytes.length));
      changed[at] =
          (byte) (random.nextBoolean() ? changed[at] ^ 1 << random.nextInt(8) : random.nextInt());
    }
    return changed;
  }

  @Test
  void halvesThatDoNotGoTogetherAndWrongParametersAreNamed() {
    assertEquals(13, Strategy.all().size());
    assertRefused("only the high half 'sketch' adds up", 256, 2, "sketch/direct");
    assertRefused("only the low half 'sketch' gives", 256, 2, "buffer/sketch");
    assertRefused("'buffer/direct', 'buffer/adaptive'", 256, 2, "fast");
    assertRefused("power of two, found 100", 100);
    assertRefused("a depth to be a whole number from 1 to 8, found 9", 256, 9);
    assertRefused("at most 65536 words", 65_536, 8, "sketch/sketch");
    assertRefused("at most 6 arguments", 256, 2, "hash/direct", 3, 4);
    UdafException error =
        assertThrows(
            UdafException.class, () -> bind(List.of(UdafCall.Argument.ofRows(ValueKind.TEXT))));
    assertTrue(error.getMessage().contains("an item to be ADDRESS or LONG"), error.getMessage());
    BoundUdaf function = function(ValueKind.ADDRESS);
    error =
        assertThrows(
            UdafException.class, () -> bound(function, ItemExtractors.ESTIMATE, Value.ofLong(5)));
    assertTrue(error.getMessage().contains("an item to be ADDRESS, found 5"), error.getMessage());
  }

  private static void assertRefused(String expected, Object... parameters) {
    UdafException error =
        assertThrows(UdafException.class, () -> function(ValueKind.ADDRESS, parameters));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }

  @Test
  void whatChangedMostBetweenTwoStatesIsFoundWithinItsBounds() {
    for (Strategy strategy : Strategy.all()) {
      for (ValueKind kind : KINDS) {
        BoundUdaf function = function(kind, 256, 3, strategy.toString());
        for (String name : new String[] {"planted", "mixed"}) {
          ItemStream before = ItemStream.of(name, kind, 11, 6000);
          ItemStream after = ItemStream.of(name, kind, 12, 6000);
          List<Value> planted = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            Value item =
                ItemKey.value(
                    kind,
                    i < 2 ? 0 : ItemKey.highOfNumber(-55L - i),
                    i < 2 ? IpAddress.ipv4Low(0x7B000000 + i) : 0);
            planted.add(item);
            (i % 2 == 0 ? before : after).add(item, 400_000 - 50_000L * i);
          }
          SuperState first = before.state(function, new Random(1));
          SuperState second = after.state(function, new Random(2));
          ItemChanges changes = new ItemChanges(function, first, second);
          Map<Value, Estimate> found = new HashMap<>();
          changes
              .largest(0.03, 100)
              .items()
              .forEach(item -> found.put(item.key().get(0), item.estimate()));
          for (Value item : planted) {
            long change = after.exact.getOrDefault(item, 0L) - before.exact.getOrDefault(item, 0L);
            Estimate estimate = found.get(item);
            String at = strategy + ", " + name + ": " + item + " " + change;
            assertFalse(estimate == null, at + " of " + found);
            assertTrue(
                estimate.lower().low() <= change && change <= estimate.upper().low(),
                at + " " + estimate);
            assertTrue(
                Math.abs(estimate.value().low() - change) <= changes.error().value() + 1,
                at + " " + estimate);
          }
        }
      }
    }
  }

  @Test
  void statesThatAreEqualShowNoChange() {
    BoundUdaf function = function(ValueKind.ADDRESS, 256, 2, "hash/direct");
    ItemStream stream = ItemStream.of("zipf", ValueKind.ADDRESS, 5, 5000);
    SuperState state = stream.state(function, new Random(1));
    for (Items.Item item : new ItemChanges(function, state, state).largest(0.01, 100).items()) {
      assertEquals(0, item.estimate().value().low());
    }
  }
}
