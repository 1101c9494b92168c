package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * {@code HEAVY_HITTERS(src_addr, bytes)}: the items with most of a sum of weights, addresses or
 * whole numbers (ports, AS numbers); without a second argument each row weighs 1. Strategies:
 *
 * <pre>
 *   low: buffer, hash, compress ── pairs ──► high: direct    count-min sketches from the first item
 *                                                  adaptive  exact up to `exact` items, then sketches
 *                                                  frequent  frequent items of DataSketches
 *   low: sketch ──────────────── sketches ─► high: sketch    the sum of sketches
 * </pre>
 *
 * <p>{@code auto} leaves the choice among the first three low halves to the low level, buffer by
 * default. Parameters: width (cells of a row, for frequent slots of the map; a power of two, 256),
 * depth (rows of a level, 2; not for frequent), strategy ('auto/frequent'; 'auto/adaptive' if a
 * depth is given), exact (64).
 */
public final class HeavyHitters implements Udaf {
  static final String SIGNATURE =
      "HEAVY_HITTERS(item [, weight [, width [, depth [, strategy [, exact]]]]])";

  private static final long DEFAULT_WIDTH = 256;
  private static final long DEFAULT_DEPTH = 2;
  private static final long DEFAULT_EXACT = 64;
  private static final long MAX_EXACT = 1 << 16;
  private static final int WIDTH_AT = 2;
  private static final int STRATEGY_AT = 4;

  @Override
  public String name() {
    return "HEAVY_HITTERS";
  }

  @Override
  public String signature() {
    return SIGNATURE;
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    ValueKind item = call.rows(0, "an item", ValueKind.ADDRESS, ValueKind.LONG);
    ValueKind weight =
        call.size() < 2 ? null : call.rows(1, "a weight", ValueKind.LONG, ValueKind.DURATION);
    long width =
        call.whole(
            WIDTH_AT, "a width", DEFAULT_WIDTH, SketchShape.MIN_WIDTH, SketchShape.MAX_WIDTH);
    if (Long.bitCount(width) != 1) {
      throw call.error(WIDTH_AT, "a width that is a power of two", Long.toString(width));
    }
    long depth = call.whole(3, "a depth", DEFAULT_DEPTH, 1, SketchShape.MAX_DEPTH);
    Strategy strategy =
        call.size() > STRATEGY_AT
            ? Strategy.parse(call, STRATEGY_AT)
            : call.size() == STRATEGY_AT ? Strategy.WITH_DEPTH : Strategy.DEFAULT;
    long exact = call.whole(5, "a number of exact items", DEFAULT_EXACT, 1, MAX_EXACT);
    call.atMost(6);
    SketchShape shape = new SketchShape((int) width, (int) depth);
    if (strategy.low() == Strategy.Low.SKETCH && SketchPad.words(shape) > SketchPad.MAX_WORDS) {
      throw call.error(
          WIDTH_AT,
          "a scratchpad of at most "
              + SketchPad.MAX_WORDS
              + " words for the low sketch: a smaller width or depth",
          SketchPad.words(shape) + " words");
    }
    List<UdafCall.Argument> all =
        new ArrayList<>(call.arguments().subList(0, weight == null ? 1 : 2));
    if (weight != null) {
      all.add(UdafCall.Argument.of(Value.ofLong(width)));
      all.add(UdafCall.Argument.of(Value.ofLong(depth)));
      all.add(UdafCall.Argument.of(Value.ofText(strategy.toString())));
      all.add(UdafCall.Argument.of(Value.ofLong(exact)));
    }
    return new WeightedItems(call.with(all), item, weight, shape, strategy, (int) exact);
  }

  /** Before {@link Strategy#DEFAULT} there was {@link Strategy#WITH_DEPTH} for every call. */
  @Override
  public String laterDefault(int arguments) {
    return arguments < STRATEGY_AT ? Strategy.DEFAULT.toString() : "";
  }

  @Override
  public List<PairFunction> pairs() {
    return List.of(ItemChanges.CHANGES);
  }

  @Override
  public List<Extractor> extractors() {
    return List.of(
        ItemExtractors.TOP,
        ItemExtractors.ABOVE,
        ItemExtractors.ESTIMATE,
        ItemExtractors.TOTAL,
        ItemExtractors.REFUSED);
  }
}
