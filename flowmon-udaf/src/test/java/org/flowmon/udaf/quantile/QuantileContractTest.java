package org.flowmon.udaf.quantile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** QUANTILES with every strategy. */
public class QuantileContractTest extends FunctionContract {
  private static final double[] SHARES = {0, 0.001, 0.25, 0.5, 0.95, 0.99, 1};

  private final Udafs functions = Udafs.load(getClass().getClassLoader());

  @Override
  protected Udaf owner() {
    return functions.find("QUANTILES");
  }

  @Override
  protected List<ContractCase> cases() {
    return List.of(
        of(ValueKind.LONG, 0.05, "lite", 16),
        of(ValueKind.DOUBLE, 0.02, "lite", 64),
        of(ValueKind.LONG, 0.1, "medium", 40),
        of(ValueKind.DURATION, 0.01, "medium", 256),
        of(ValueKind.LONG, 0.05, "heavy", 64),
        of(ValueKind.TIMESTAMP, 0.01, "heavy", 256),
        of(ValueKind.LONG, 0.5, "heavy", 16),
        of(ValueKind.LONG, 0, "lite", 16),
        of(ValueKind.DOUBLE, 0, "lite", 64),
        of(ValueKind.LONG, 0.02, "kll", 64),
        of(ValueKind.DOUBLE, 0.1, "kll", 16));
  }

  private ContractCase of(ValueKind kind, double epsilon, String strategy, int words) {
    BoundUdaf function =
        functions.bind(
            "QUANTILES",
            List.of(
                Argument.ofRows(kind),
                Argument.of(Value.ofDouble(epsilon)),
                Argument.of(Value.ofText(strategy)),
                Argument.of(Value.ofLong(words))));
    List<BoundExtractor> probes = new ArrayList<>();
    for (double share : SHARES) {
      probes.add(
          functions.bindExtractor(
              function, "QUANTILE", List.of(Argument.of(Value.ofDouble(share)))));
    }
    probes.add(functions.bindExtractor(function, "COUNT", List.of()));
    BigShares shares = new BigShares(functions, function, kind, epsilon, strategy.equals("kll"));
    return new ContractCase(function, probes, shares);
  }

  /** Compares with the sorted values. */
  private record BigShares(
      Udafs functions, BoundUdaf function, ValueKind kind, double epsilon, boolean isKll)
      implements ContractCase.Oracle {
    @Override
    public void check(TestRows rows, SuperState state, String where) {
      List<Value> sorted = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        if (!rows.value(0, i).isNull()) {
          sorted.add(rows.value(0, i));
        }
      }
      sorted.sort((a, b) -> compare(a, b));
      Estimate count = estimate(state, "COUNT");
      assertEquals(Estimate.exact(Value.ofLong(sorted.size())), count, where);
      if (sorted.isEmpty()) {
        assertTrue(estimate(state, "MEDIAN").value().isNull(), where);
        assertEquals(0, state.memoryBytes() / 1000, where);
        return;
      }
      for (double share : SHARES) {
        checkQuantile(sorted, state, share, where + ", quantile " + share);
      }
      assertEquals(
          estimate(state, "QUANTILE", Value.ofDouble(0.5)), estimate(state, "MEDIAN"), where);
      for (int i : new int[] {0, sorted.size() / 3, sorted.size() - 1}) {
        checkRank(sorted, state, sorted.get(i), where + ", rank of " + sorted.get(i));
      }
    }

    private void checkQuantile(List<Value> sorted, SuperState state, double share, String where) {
      int n = sorted.size();
      int rank = Math.max(1, (int) Math.ceil(Math.round(share * n * 1e6) / 1e6));
      BoundExtractor quantile =
          functions.bindExtractor(
              function, "QUANTILE", List.of(Argument.of(Value.ofDouble(share))));
      Estimate found = (Estimate) quantile.extract(state);
      long below = sorted.stream().filter(v -> compare(v, found.value()) < 0).count();
      long upTo = sorted.stream().filter(v -> compare(v, found.value()) <= 0).count();
      assertTrue(upTo > below, where + ": " + found + " is none of the values");
      long error = Math.max(0, Math.max(below + 1 - rank, rank - upTo));
      ErrorBound bound = quantile.bound(state);
      assertEquals(ErrorBound.Kind.RANK, bound.kind());
      // A KLL sketch may exceed its error once in a hundred answers, but never by far.
      double factor = isKll ? 3 : 1;
      String message = where + ": off by " + error + " ranks of " + n + ", said " + bound;
      assertTrue(error <= bound.value() * factor, message);
      assertTrue(
          bound.value() <= Math.floor(epsilon * n) || (isKll && bound.value() <= epsilon * n),
          message);
      assertEquals(bound.isExact() || !isKll ? 1 : 0.99, bound.probability());
      assertTrue(compare(found.lower(), found.value()) <= 0, where + ": " + found);
      assertTrue(compare(found.value(), found.upper()) <= 0, where + ": " + found);
      if (!isKll) {
        Value truth = sorted.get(rank - 1);
        assertTrue(
            compare(found.lower(), truth) <= 0 && compare(truth, found.upper()) <= 0,
            where + ": " + found + " has not " + truth);
      }
    }

    private void checkRank(List<Value> sorted, SuperState state, Value value, String where) {
      if (kind == ValueKind.DOUBLE && Double.isNaN(value.asDouble())) {
        return;
      }
      BoundExtractor rank = functions.bindExtractor(function, "RANK", List.of(Argument.of(value)));
      Estimate found = (Estimate) rank.extract(state);
      long truth = sorted.stream().filter(v -> compare(v, value) <= 0).count();
      double slack = isKll ? 2 * rank.bound(state).value() : 0;
      assertTrue(
          found.lower().low() - slack <= truth && truth <= found.upper().low() + slack,
          where + ": " + found + " has not " + truth);
      assertTrue(
          Math.abs(found.value().low() - truth) <= rank.bound(state).value() + slack,
          where + ": " + found + " is not near " + truth);
    }

    private Estimate estimate(SuperState state, String name, Value... parameters) {
      List<Argument> arguments = Arrays.stream(parameters).map(Argument::of).toList();
      return (Estimate) functions.bindExtractor(function, name, arguments).extract(state);
    }

    private int compare(Value a, Value b) {
      return kind == ValueKind.DOUBLE
          ? Double.compare(a.asDouble() + 0.0, b.asDouble() + 0.0)
          : Long.compare(a.low(), b.low());
    }
  }
}
