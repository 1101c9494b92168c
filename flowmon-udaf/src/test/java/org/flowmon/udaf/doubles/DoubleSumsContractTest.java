package org.flowmon.udaf.doubles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ContractCase;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.FunctionContract;
import org.flowmon.udaf.function.TestRows;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** DOUBLE_SUMS keeps to the contract, and its answers are those of BigDecimal. */
public class DoubleSumsContractTest extends FunctionContract {
  // Far more digits than a double has, so that rounding twice is rounding once.
  private static final MathContext DIGITS = new MathContext(60);

  private final Udafs functions = Udafs.load(getClass().getClassLoader());
  private final BoundUdaf function =
      functions.bind("DOUBLE_SUMS", List.of(Argument.ofRows(ValueKind.DOUBLE)));

  @Override
  protected Udaf owner() {
    return functions.find("DOUBLE_SUMS");
  }

  @Override
  protected List<ContractCase> cases() {
    List<BoundExtractor> probes =
        Stream.of("COUNT", "SUM", "AVG", "STDDEV", "STDDEV_POP")
            .map(name -> functions.bindExtractor(function, name, List.of()))
            .toList();
    return List.of(new ContractCase(function, probes, this::check));
  }

  private void check(TestRows rows, SuperState state, String where) {
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (!rows.value(0, i).isNull()) {
        values.add(rows.value(0, i).asDouble());
      }
    }
    int n = values.size();
    assertEquals(Value.ofLong(n), value(state, "COUNT"), where);
    boolean finite = values.stream().allMatch(Double::isFinite);
    // Values that are not finite decide as they do in a plain loop, of whatever order.
    double added = values.stream().filter(v -> !Double.isFinite(v)).reduce(0.0, Double::sum);
    double plain = Double.isNaN(added) ? Double.NaN : added;
    BigDecimal sum = BigDecimal.ZERO;
    BigDecimal squares = BigDecimal.ZERO;
    for (double value : finite ? values : List.<Double>of()) {
      sum = sum.add(new BigDecimal(value));
      squares = squares.add(new BigDecimal(value).pow(2));
    }
    BigDecimal count = BigDecimal.valueOf(n);
    BigDecimal numerator = count.multiply(squares).subtract(sum.pow(2));
    expect(finite ? sum.doubleValue() : plain, state, "SUM", n >= 1, where);
    expect(
        finite && n > 0 ? sum.divide(count, DIGITS).doubleValue() : plain,
        state,
        "AVG",
        n >= 1,
        where);
    expect(
        finite ? root(numerator, count.multiply(count), n >= 1) : Double.NaN,
        state,
        "STDDEV_POP",
        n >= 1,
        where);
    expect(
        finite
            ? root(numerator, count.multiply(count.subtract(BigDecimal.ONE)), n >= 2)
            : Double.NaN,
        state,
        "STDDEV",
        n >= 2,
        where);
  }

  private static double root(BigDecimal numerator, BigDecimal denominator, boolean isThere) {
    return isThere ? numerator.divide(denominator, DIGITS).sqrt(DIGITS).doubleValue() : 0;
  }

  private void expect(
      double expected, SuperState state, String extractor, boolean isThere, String where) {
    Value found = value(state, extractor);
    assertEquals(isThere ? Value.ofDouble(expected) : Value.NULL, found, where + ", " + extractor);
  }

  private Value value(SuperState state, String extractor) {
    BoundExtractor bound = functions.bindExtractor(function, extractor, List.of());
    return ((Estimate) bound.extract(state)).value();
  }
}
