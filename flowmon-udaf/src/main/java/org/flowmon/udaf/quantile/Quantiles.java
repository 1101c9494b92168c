package org.flowmon.udaf.quantile;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.quantile.QuantileParameters.Strategy;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * {@code QUANTILES(x [, epsilon [, strategy [, words]]])}: the distribution of the non-NULL values
 * of x, with ranks to within ε times their number.
 *
 * <p>By Cormode et al., "Holistic UDAFs at Streaming Speeds" (SIGMOD 2004), section 4.1, {@code
 * 'lite'} sends values ({@link ValuesPad}), {@code 'medium'} and {@code 'heavy'} summarize in the
 * scratchpad ({@link SummaryPad}, {@link BatchedPad}). Their state is one of Greenwald and Khanna
 * whose bound always holds, so they may take turns: {@code 'auto'} leaves the choice to the low
 * level, lite by default. {@code 'kll'} sends values to a KLL sketch, whose bound holds at 99%. An
 * ε of 0 keeps all different values: exact.
 */
public final class Quantiles implements Udaf {
  private static final double DEFAULT_EPSILON = 0.01;
  private static final double MIN_EPSILON = 0.0001;
  private static final int MIN_WORDS = 16;

  @Override
  public String name() {
    return "QUANTILES";
  }

  @Override
  public String signature() {
    return "QUANTILES(x [, epsilon [, strategy [, words]]])";
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    ValueKind kind =
        call.rows(
            0, "x", ValueKind.LONG, ValueKind.DURATION, ValueKind.TIMESTAMP, ValueKind.DOUBLE);
    double epsilon = call.decimal(1, "epsilon", DEFAULT_EPSILON, 0, 0.5);
    if (epsilon > 0 && epsilon < MIN_EPSILON) {
      throw call.error(
          1,
          "epsilon to be 0, which is exact, or a number from 0.0001 to 0.5",
          call.constant(1, "epsilon").toString());
    }
    boolean isExact = epsilon == 0;
    Strategy strategy =
        Strategy.of(
            isExact
                ? call.word(2, "strategy if epsilon is 0", "lite", "lite", "auto")
                : call.word(2, "strategy", "auto", "auto", "lite", "medium", "heavy", "kll"));
    strategy = isExact ? Strategy.LITE : strategy; // there is no choice
    int millionths = QuantileParameters.millionths(epsilon);
    int fallback =
        strategy == Strategy.AUTO
            ? QuantileParameters.OWN_WORDS
            : QuantileParameters.defaultWords(strategy, millionths);
    int words = (int) call.whole(3, "words", (long) fallback, MIN_WORDS, SummaryBytes.MAX_VALUES);
    call.atMost(4);
    return new Bound(call, new QuantileParameters(kind, millionths, strategy, words));
  }

  @Override
  public List<Value> exactParameters() {
    return List.of(Value.ofLong(0));
  }

  @Override
  public List<Extractor> extractors() {
    return QuantileExtractor.all();
  }

  /** A call with its parameters. */
  record Bound(UdafCall said, QuantileParameters parameters) implements BoundUdaf {
    @Override
    public UdafCall call() {
      List<Argument> all = new ArrayList<>();
      all.add(Argument.ofRows(parameters.kind()));
      all.add(Argument.of(Value.ofDouble(parameters.epsilon().doubleValue())));
      all.add(Argument.of(Value.ofText(parameters.strategy().word())));
      if (parameters.words() != QuantileParameters.OWN_WORDS) {
        all.add(Argument.of(Value.ofLong(parameters.words())));
      }
      return said.with(all);
    }

    @Override
    public int arguments() {
      return 1;
    }

    @Override
    public String stateType() {
      return "QUANTILES("
          + parameters.kind()
          + ", "
          + parameters.epsilon().toPlainString()
          + (parameters.strategy() == Strategy.KLL ? ", 'kll'" : "")
          + ")";
    }

    @Override
    public boolean isExact() {
      return parameters.isExact();
    }

    @Override
    public SubAggregate subAggregate() {
      return switch (parameters.strategy()) {
        case AUTO -> choices().get(0).subAggregate();
        case LITE, KLL -> new ValuesPad(parameters);
        case MEDIUM -> new SummaryPad(parameters);
        case HEAVY -> new BatchedPad(parameters);
      };
    }

    @Override
    public List<BoundUdaf> choices() {
      if (parameters.strategy() != Strategy.AUTO) {
        return List.of(this);
      }
      List<BoundUdaf> all = new ArrayList<>();
      for (Strategy low : List.of(Strategy.LITE, Strategy.MEDIUM, Strategy.HEAVY)) {
        all.add(new Bound(said, parameters.with(low)));
      }
      return all;
    }

    @Override
    public String lowHalf() {
      return parameters.strategy().word();
    }

    @Override
    public SuperAggregate superAggregate() {
      if (parameters.isExact()) {
        return new ExactAggregate(parameters);
      }
      return parameters.strategy() == Strategy.KLL
          ? new KllAggregate(parameters)
          : new SummaryAggregate(parameters);
    }
  }
}
