package org.flowmon.udaf.cardinality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Distinct counts of every kind of values, and their expected answers. */
final class DistinctCases {
  private DistinctCases() {}

  static List<ContractCase> of(Udaf owner, long small, long large) {
    Udafs functions = Udafs.of(List.of(owner));
    List<ContractCase> cases = new ArrayList<>();
    ValueKind[][] all = {
      {ValueKind.ADDRESS}, {ValueKind.DOUBLE, ValueKind.TEXT}, {ValueKind.BOOLEAN, ValueKind.LONG}
    };
    for (ValueKind[] kinds : all) {
      for (long parameter : new long[] {small, large}) {
        List<UdafCall.Argument> arguments = new ArrayList<>();
        Arrays.stream(kinds).forEach(kind -> arguments.add(UdafCall.Argument.ofRows(kind)));
        arguments.add(UdafCall.Argument.of(Value.ofLong(parameter)));
        cases.add(contract(functions, functions.bind(owner.name(), arguments)));
      }
    }
    return cases;
  }

  private static ContractCase contract(Udafs functions, BoundUdaf function) {
    BoundExtractor count = functions.bindExtractor(function, "cardinality", List.of());
    List<BoundExtractor> probes = new ArrayList<>(List.of(count));
    boolean counted = function.call().name().equals("DISTINCT_SAMPLE");
    if (counted) {
      List<UdafCall.Argument> once = List.of(UdafCall.Argument.of(Value.ofLong(1)));
      probes.add(functions.bindExtractor(function, "rare", once));
    }
    return new ContractCase(
        function,
        probes,
        (rows, state, where) -> {
          Map<List<Object>, Integer> times = times(function, rows);
          check(count, state, times.size(), where);
          if (counted) {
            long once = times.values().stream().filter(n -> n == 1).count();
            check(probes.get(1), state, once, where + ", rare");
          }
        });
  }

  private static Map<List<Object>, Integer> times(BoundUdaf function, TestRows rows) {
    Map<List<Object>, Integer> times = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      if (rows.isWhole(i)) {
        int row = i;
        List<Object> key =
            IntStream.range(0, function.arguments())
                .<Object>mapToObj(a -> comparable(rows.value(a, row)))
                .toList();
        times.merge(key, 1, Integer::sum);
      }
    }
    return times;
  }

  /** Equal zeros and equal NaNs: as in {@link Double} except for the zero. */
  private static Object comparable(Value value) {
    return value.kind() == ValueKind.DOUBLE ? (Object) (value.asDouble() + 0.0) : value;
  }

  /** Widens bounds of 95%, as one of so many streams may be outside. */
  private static void check(
      BoundExtractor extractor, SuperState state, long expected, String where) {
    Estimate estimate = (Estimate) extractor.extract(state);
    String at = where + ": " + expected + " values, " + estimate;
    if (extractor.bound(state).isExact()) {
      assertEquals(Estimate.exact(Value.ofLong(expected)), estimate, at);
    } else {
      long below = estimate.value().low() - estimate.lower().low();
      long above = estimate.upper().low() - estimate.value().low();
      assertTrue(expected >= estimate.value().low() - 3 * below - 20, at);
      assertTrue(expected <= estimate.value().low() + 3 * above + 20, at);
    }
  }
}
