package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractStreams;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Rows of items and weights, their exact weights, and runs through both levels. */
final class ItemStream {
  final ValueKind kind;
  final List<Value> items = new ArrayList<>();
  final List<Long> weights = new ArrayList<>();
  final Map<Value, Long> exact = new HashMap<>();
  long total;

  ItemStream(ValueKind kind) {
    this.kind = kind;
  }

  void add(Value item, long weight) {
    items.add(item);
    weights.add(weight);
    if (weight > 0) {
      exact.merge(item, weight, Math::addExact);
      total = Math.addExact(total, weight);
    }
  }

  void add(long number, long weight) {
    add(
        kind == ValueKind.ADDRESS
            ? Value.ofAddress(0, IpAddress.ipv4Low((int) number))
            : Value.ofLong(number),
        weight);
  }

  static String[] names() {
    return new String[] {"uniform", "sorted", "zipf", "planted", "neighbours", "wide", "mixed"};
  }

  /** A stream of this name. */
  static ItemStream of(String name, ValueKind kind, long seed, int rows) {
    Random random = new Random(seed);
    ItemStream stream = new ItemStream(kind);
    for (int i = 0; i < rows; i++) {
      long weight = 1L + random.nextInt(1500);
      switch (name) {
        case "uniform" -> stream.add(random.nextInt() & 0xFFFF_FFFFL, weight);
        case "sorted" -> stream.add(i / 3 * 7919L & 0xFFFF_FFFFL, weight);
        case "zipf" -> stream.add(zipf(random) * 0x9E3779B1L & 0xFFFF_FFFFL, weight);
        case "planted" ->
            stream.add(
                random.nextInt(10) == 0
                    ? 0x0A000000L + random.nextInt(5)
                    : random.nextInt() & 0xFFFF_FFFFL,
                weight);
        // all in one network of 16 bits: prefixes say nothing
        case "neighbours" -> stream.add(0xC0A80000L + random.nextInt(1 << 16), weight);
        case "wide" -> stream.add(wide(kind, random, zipf(random)), weight);
        case "mixed" ->
            stream.add(
                i % 2 == 0
                    ? wide(kind, random, zipf(random))
                    : kind == ValueKind.ADDRESS
                        ? Value.ofAddress(0, IpAddress.ipv4Low((int) zipf(random)))
                        : Value.ofLong(zipf(random)),
                weight);
        default -> throw new IllegalArgumentException(name);
      }
    }
    return stream;
  }

  /** About every third value is one of the first ten. */
  static long zipf(Random random) {
    return (long) Math.pow(100_000, random.nextDouble());
  }

  private static Value wide(ValueKind kind, Random random, long rank) {
    long word = new Random(rank).nextLong() | 1L << 62;
    if (kind == ValueKind.LONG) {
      return Value.ofLong(random.nextInt(20) == 0 ? -rank : word);
    }
    return Value.ofAddress(0x20010DB800000000L | rank % 17 << 16, word);
  }

  /** The rows for a function of this item and a weight, or of the item alone. */
  private TestRows rows(BoundUdaf function) {
    List<List<Value>> rows = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      rows.add(List.of(items.get(i), Value.ofLong(weights.get(i))));
    }
    return TestRows.of(
        function.arguments() == 1 ? new ValueKind[] {kind} : new ValueKind[] {kind, ValueKind.LONG},
        rows);
  }

  /** The sub-states that low halves send. */
  List<byte[]> low(BoundUdaf function, Random random) {
    return ContractStreams.subStates(function, rows(function), random);
  }

  /** The state of all rows after low halves and a random tree of high ones. */
  SuperState state(BoundUdaf function, Random random) {
    return ContractStreams.merged(
        function.superAggregate(), low(function, random), ContractStreams.Tree.RANDOM, random);
  }

  static void merge(SuperState into, byte[] state) {
    ContractStreams.merge(into, state);
  }

  static byte[] bytes(SuperState state) {
    return ContractStreams.bytes(state);
  }
}
