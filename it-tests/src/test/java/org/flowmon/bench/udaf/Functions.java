package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** The measured functions with their parameters, and the display of their costs. */
final class Functions {
  /** The strategies of quantiles. */
  static final List<String> QUANTILES = List.of("lite", "medium", "heavy", "kll");

  /** The low and high halves of heavy hitters. */
  static final List<String> HITTERS =
      List.of(
          "buffer/direct",
          "hash/direct",
          "compress/direct",
          "buffer/adaptive",
          "hash/adaptive",
          "compress/adaptive",
          "buffer/frequent",
          "hash/frequent",
          "compress/frequent",
          "sketch/sketch");

  static final double EPSILON = 0.01;
  static final int EXACT = 64;

  private static final long WIDTH = 256;
  private static final long DEPTH = 2;
  private static final Udafs ALL = Udafs.load(Functions.class.getClassLoader());

  private Functions() {}

  static Udafs all() {
    return ALL;
  }

  /** HEAVY_HITTERS of items with weights, with the paper's width and depth. */
  static BoundUdaf hitters(ValueKind item, String strategy, int exact) {
    return ALL.bind(
        "HEAVY_HITTERS",
        List.of(
            Argument.ofRows(item),
            Argument.ofRows(ValueKind.LONG),
            Argument.of(Value.ofLong(WIDTH)),
            Argument.of(Value.ofLong(DEPTH)),
            Argument.of(Value.ofText(strategy)),
            Argument.of(Value.ofLong(exact))));
  }

  static BoundUdaf hitters(String strategy) {
    return hitters(ValueKind.ADDRESS, strategy, EXACT);
  }

  static BoundUdaf quantiles(String strategy) {
    return ALL.bind("QUANTILES", quantileArguments(strategy));
  }

  /** QUANTILES with a scratchpad of {@code words} words. */
  static BoundUdaf quantiles(String strategy, int words) {
    List<Argument> arguments = quantileArguments(strategy);
    arguments.add(Argument.of(Value.ofLong(words)));
    return ALL.bind("QUANTILES", arguments);
  }

  private static List<Argument> quantileArguments(String strategy) {
    List<Argument> arguments = new ArrayList<>();
    arguments.add(Argument.ofRows(ValueKind.LONG));
    arguments.add(Argument.of(Value.ofDouble(EPSILON)));
    arguments.add(Argument.of(Value.ofText(strategy)));
    return arguments;
  }

  /** Adds the cost of an epoch of tuples to a row. */
  static void put(Map<String, Object> row, Halves.Cost cost, Tuples tuples) {
    row.put("low_ns", cost.lowNanos());
    row.put("high_ns", cost.highNanos());
    row.put("total_ns", cost.nanos());
    row.put("sub_states", cost.subStates());
    row.put("bytes_sent_per_tuple", cost.bytes() / (double) tuples.rows);
    row.put("state_bytes_per_group", cost.stateBytes() / (double) tuples.groups);
  }

  /** Formats a line for standard error. */
  static String text(String what, Halves.Cost cost) {
    return String.format(
        Locale.ROOT,
        "%s: %.1f ns low, %.1f ns high, %,d sub-states",
        what,
        cost.lowNanos(),
        cost.highNanos(),
        cost.subStates());
  }
}
