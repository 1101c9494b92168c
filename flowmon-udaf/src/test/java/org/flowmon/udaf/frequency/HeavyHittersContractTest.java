package org.flowmon.udaf.frequency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Heavy hitters keep to the contract with every pair of halves, for every kind of items. */
public class HeavyHittersContractTest extends FunctionContract {
  // Of each stream: HeavyHittersTest checks all.
  private static final int ITEMS_CHECKED = 200;

  private final Udafs functions = Udafs.of(List.of(owner()));

  @Override
  protected Udaf owner() {
    return new HeavyHitters();
  }

  @Override
  protected List<ContractCase> cases() {
    List<ContractCase> cases = new ArrayList<>();
    for (Strategy strategy : Strategy.all()) {
      for (ValueKind kind : new ValueKind[] {ValueKind.ADDRESS, ValueKind.LONG}) {
        cases.add(
            contract(
                UdafCall.Argument.ofRows(kind),
                UdafCall.Argument.ofRows(ValueKind.LONG),
                UdafCall.Argument.of(Value.ofLong(32)),
                UdafCall.Argument.of(Value.ofLong(2)),
                UdafCall.Argument.of(Value.ofText(strategy.toString())),
                UdafCall.Argument.of(Value.ofLong(20))));
      }
    }
    cases.add(contract(UdafCall.Argument.ofRows(ValueKind.LONG)));
    return cases;
  }

  private ContractCase contract(UdafCall.Argument... arguments) {
    BoundUdaf function = functions.bind("heavy_hitters", List.of(arguments));
    BoundExtractor total = functions.bindExtractor(function, "total", List.of());
    BoundExtractor refused = functions.bindExtractor(function, "refused", List.of());
    BoundExtractor above =
        functions.bindExtractor(
            function, "above", List.of(UdafCall.Argument.of(Value.ofDouble(0.25))));
    return new ContractCase(
        function,
        List.of(total, refused, above),
        (rows, state, where) -> {
          Map<Value, Long> weights = new HashMap<>();
          long negative = 0;
          long sum = 0;
          for (int i = 0; i < rows.size(); i++) {
            if (rows.isWhole(i)) {
              long weight = function.arguments() == 1 ? 1 : rows.value(1, i).low();
              if (weight < 0) {
                negative++;
              } else if (weight > 0) {
                weights.merge(rows.value(0, i), weight, HeavyHittersContractTest::plus);
                sum = plus(sum, weight);
              }
            }
          }
          assertEquals(Estimate.exact(Value.ofLong(sum)), total.extract(state), where);
          assertEquals(Estimate.exact(Value.ofLong(negative)), refused.extract(state), where);
          List<Value> found =
              ((Items) above.extract(state))
                  .items().stream().map(item -> item.key().get(0)).toList();
          double missed = Math.max(0.25 * sum, above.bound(state).value());
          int checked = 0;
          for (Map.Entry<Value, Long> entry : weights.entrySet()) {
            if (checked++ < ITEMS_CHECKED) {
              check(function, state, entry.getKey(), entry.getValue(), where);
            }
            assertTrue(
                entry.getValue() <= missed || found.contains(entry.getKey()),
                () -> where + ": " + entry + " is not among " + found);
          }
        });
  }

  /** Lower bounds of sketches, which are not certain, are counted in {@link HeavyHittersTest}. */
  private static void check(
      BoundUdaf function, SuperState state, Value item, long weight, String where) {
    UdafCall call =
        new UdafCall("ESTIMATE", "ESTIMATE(state, item)", List.of(UdafCall.Argument.of(item)));
    BoundExtractor extractor = ItemExtractors.ESTIMATE.bind(function, call);
    Estimate estimate = (Estimate) extractor.extract(state);
    ErrorBound bound = extractor.bound(state);
    Supplier<String> at =
        () -> where + ": " + item + " weighs " + weight + ", " + estimate + ", " + bound;
    assertTrue(weight <= estimate.upper().low(), at);
    assertTrue(bound.probability() < 1 || estimate.lower().low() <= weight, at);
    assertTrue(estimate.upper().low() - estimate.lower().low() <= bound.value(), at);
    assertTrue(estimate.lower().low() <= estimate.value().low(), at);
    assertTrue(estimate.value().low() <= estimate.upper().low(), at);
  }

  private static long plus(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }
}
