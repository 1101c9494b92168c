package org.flowmon.udaf.quantile;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** The extractors of QUANTILES. */
final class QuantileExtractor implements Extractor {
  private final String name;
  private final String signature;
  private final Binder binder;

  private interface Binder {
    BoundExtractor bind(ValueKind kind, UdafCall call);
  }

  private QuantileExtractor(String name, String signature, Binder binder) {
    this.name = name;
    this.signature = signature;
    this.binder = binder;
  }

  static List<Extractor> all() {
    return List.of(
        new QuantileExtractor("QUANTILE", "QUANTILE(state, share)", QuantileExtractor::quantile),
        new QuantileExtractor("MEDIAN", "MEDIAN(state)", QuantileExtractor::median),
        new QuantileExtractor("MIDDLE", "MIDDLE(state)", QuantileExtractor::middle),
        new QuantileExtractor("RANK", "RANK(state, value)", QuantileExtractor::rank),
        new QuantileExtractor("COUNT", "COUNT(state)", QuantileExtractor::count));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String signature() {
    return signature;
  }

  @Override
  public FunctionCatalogue.Way exact() {
    return name.equals("COUNT") ? FunctionCatalogue.Way.ITSELF : FunctionCatalogue.Way.EXACT_CALL;
  }

  @Override
  public BoundExtractor bind(BoundUdaf function, UdafCall call) {
    return binder.bind(((Quantiles.Bound) function).parameters().kind(), call);
  }

  private static BoundExtractor quantile(ValueKind kind, UdafCall call) {
    double share = call.decimal(0, "share", null, 0, 1);
    call.atMost(1);
    return new Quantile(kind, BigDecimal.valueOf(share));
  }

  private static BoundExtractor median(ValueKind kind, UdafCall call) {
    call.atMost(0);
    return new Quantile(kind, new BigDecimal("0.5"));
  }

  private static BoundExtractor middle(ValueKind kind, UdafCall call) {
    call.atMost(0);
    return new Middle(kind);
  }

  private static BoundExtractor rank(ValueKind kind, UdafCall call) {
    Value value = call.constant(0, "value");
    boolean fits =
        value.kind() == kind || (kind == ValueKind.DOUBLE && value.kind() == ValueKind.LONG);
    if (!fits) {
      throw call.error(0, "value to be a " + kind, value.toString());
    }
    call.atMost(1);
    return new Rank(Words.of(kind, value));
  }

  private static BoundExtractor count(ValueKind kind, UdafCall call) {
    call.atMost(0);
    return new Count();
  }

  /** The value of rank {@code ⌈share · n⌉}, the least for 0. */
  private record Quantile(ValueKind kind, BigDecimal share) implements BoundExtractor {
    @Override
    public AnswerType type() {
      return AnswerType.estimate(kind);
    }

    @Override
    public Answer extract(SuperState state) {
      QuantileState quantiles = (QuantileState) state;
      long count = quantiles.count();
      if (count == 0) {
        return Estimate.NULL;
      }
      BigDecimal rank = share.multiply(BigDecimal.valueOf(count));
      long[] out = new long[3];
      quantiles.quantile(Math.max(1, rank.setScale(0, RoundingMode.CEILING).longValue()), out);
      return new Estimate(
          Words.value(kind, out[0]), Words.value(kind, out[1]), Words.value(kind, out[2]));
    }

    @Override
    public ErrorBound bound(SuperState state) {
      QuantileState quantiles = (QuantileState) state;
      return ErrorBound.ofRank(quantiles.rankError(), quantiles.probability());
    }
  }

  /** The mean of the middle two values, or the middle one: of numbers a DOUBLE. */
  private record Middle(ValueKind kind) implements BoundExtractor {
    private ValueKind meanKind() {
      return kind.isNumber() ? ValueKind.DOUBLE : kind;
    }

    @Override
    public AnswerType type() {
      return AnswerType.estimate(meanKind());
    }

    @Override
    public Answer extract(SuperState state) {
      QuantileState quantiles = (QuantileState) state;
      long count = quantiles.count();
      if (count == 0) {
        return Estimate.NULL;
      }
      long[] first = new long[3];
      long[] second = new long[3];
      quantiles.quantile((count + 1) / 2, first);
      quantiles.quantile(count / 2 + 1, second);
      return new Estimate(
          mean(first[0], second[0]), mean(first[1], second[1]), mean(first[2], second[2]));
    }

    private Value mean(long first, long second) {
      Value a = Words.value(kind, first);
      Value b = Words.value(kind, second);
      if (kind == ValueKind.DOUBLE) {
        double sum = a.asDouble() + b.asDouble();
        return Value.ofDouble(
            Double.isInfinite(sum) ? a.asDouble() / 2 + b.asDouble() / 2 : sum / 2);
      }
      BigInteger sum = BigInteger.valueOf(a.low()).add(BigInteger.valueOf(b.low()));
      return kind == ValueKind.LONG
          ? Value.ofDouble(sum.doubleValue() / 2)
          : Value.of(kind, sum.shiftRight(1).longValue());
    }

    @Override
    public ErrorBound bound(SuperState state) {
      QuantileState quantiles = (QuantileState) state;
      return ErrorBound.ofRank(quantiles.rankError(), quantiles.probability());
    }
  }

  private record Rank(long word) implements BoundExtractor {
    @Override
    public AnswerType type() {
      return AnswerType.estimate(ValueKind.LONG);
    }

    @Override
    public Answer extract(SuperState state) {
      long[] out = new long[3];
      ((QuantileState) state).rank(word, out);
      return new Estimate(Value.ofLong(out[0]), Value.ofLong(out[1]), Value.ofLong(out[2]));
    }

    @Override
    public ErrorBound bound(SuperState state) {
      QuantileState quantiles = (QuantileState) state;
      return ErrorBound.additive(quantiles.rankError(), quantiles.probability());
    }
  }

  private record Count() implements BoundExtractor {
    @Override
    public AnswerType type() {
      return AnswerType.estimate(ValueKind.LONG);
    }

    @Override
    public Answer extract(SuperState state) {
      return Estimate.exact(Value.ofLong(((QuantileState) state).count()));
    }

    @Override
    public ErrorBound bound(SuperState state) {
      return ErrorBound.EXACT;
    }
  }
}
