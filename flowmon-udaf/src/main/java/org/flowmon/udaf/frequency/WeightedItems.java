package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * {@link HeavyHitters} with its parameters; adaptive ones are exact up to {@code exact} items.
 *
 * @param weight kind of the weights, null if each row weighs 1
 */
record WeightedItems(
    UdafCall call,
    ValueKind item,
    @Nullable ValueKind weight,
    SketchShape shape,
    Strategy strategy,
    int exact)
    implements BoundUdaf {
  static final int PAIRS = 128;

  @Override
  public int arguments() {
    return weight == null ? 1 : 2;
  }

  ValueKind valueKind() {
    return weight == null ? ValueKind.LONG : weight;
  }

  @Override
  public String stateType() {
    String parameters =
        switch (strategy.high()) {
          case SKETCH, DIRECT -> ", " + shape.depth() + ", 'sketch'";
          case ADAPTIVE -> ", " + shape.depth() + ", 'adaptive', " + exact;
          case FREQUENT -> ", 'frequent'";
        };
    return "HEAVY_HITTERS("
        + item
        + ", "
        + (weight == null ? "1" : weight)
        + ", "
        + shape.width()
        + parameters
        + ")";
  }

  @Override
  public boolean isExact() {
    return false;
  }

  @Override
  public SubAggregate subAggregate() {
    boolean ofAddresses = item == ValueKind.ADDRESS;
    boolean weighted = weight != null;
    return switch (strategy.low()) {
      case AUTO -> choices().get(0).subAggregate();
      case BUFFER -> new PairPad(PairPad.Layout.BUFFER, ofAddresses, weighted, PAIRS);
      case HASH -> new PairPad(PairPad.Layout.HASH, ofAddresses, weighted, PAIRS);
      case COMPRESS -> new PairPad(PairPad.Layout.COMPRESS, ofAddresses, weighted, PAIRS);
      case SKETCH -> new SketchPad(shape, weighted);
    };
  }

  @Override
  public List<BoundUdaf> choices() {
    if (strategy.low() != Strategy.Low.AUTO) {
      return List.of(this);
    }
    List<BoundUdaf> all = new ArrayList<>();
    for (Strategy.Low low :
        List.of(Strategy.Low.BUFFER, Strategy.Low.COMPRESS, Strategy.Low.HASH)) {
      Strategy chosen = new Strategy(low, strategy.high());
      all.add(new WeightedItems(call, item, weight, shape, chosen, exact));
    }
    return all;
  }

  @Override
  public String lowHalf() {
    return strategy.low().toString().toLowerCase(Locale.ROOT);
  }

  @Override
  public SuperAggregate superAggregate() {
    if (strategy.high() == Strategy.High.FREQUENT) {
      return () -> new FrequentWeights(item, shape.width());
    }
    return new SketchedAggregate(
        item, shape, strategy.high() == Strategy.High.ADAPTIVE ? exact : 0);
  }
}
