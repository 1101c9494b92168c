package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.PairFunction;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * The items that changed most between two states of {@link HeavyHitters}: of two hours, two days,
 * two sites. The states stay unchanged.
 *
 * <p>An item whose weight changed by a share of the larger sum has at least that weight in one of
 * the states. So a search for items of that weight in each state finds all that changed so much,
 * except for items that the states themselves miss: see {@link #error}. If both states are
 * sketches, a change is estimated from the differences of their cells: unchanged items cancel out.
 */
public final class ItemChanges {
  /** {@code CHANGES(before, after [, share [, limit]])}, as {@link #largest}. */
  static final PairFunction CHANGES = new OfQueries();

  private static final int MAX_ITEMS = 10_000;
  private static final double DEFAULT_SHARE = 0.01;
  private static final long DEFAULT_LIMIT = 20;
  private static final double MIN_SHARE = 1e-9;

  private final ValueKind valueKind;
  private final ItemWeights before;
  private final ItemWeights after;

  /** The function as queries call it. */
  private static final class OfQueries implements PairFunction {
    @Override
    public String name() {
      return "CHANGES";
    }

    @Override
    public String signature() {
      return "CHANGES(before, after [, share [, limit]])";
    }

    @Override
    public boolean givesState() {
      return false;
    }

    @Override
    public FunctionCatalogue.Way exact() {
      return FunctionCatalogue.Way.SUMS;
    }

    @Override
    public Bound bind(BoundUdaf function, UdafCall call) {
      double share = call.decimal(0, "a share", DEFAULT_SHARE, MIN_SHARE, 1);
      int limit = (int) call.whole(1, "a limit", DEFAULT_LIMIT, 1, MAX_ITEMS);
      call.atMost(2);
      WeightedItems items = (WeightedItems) function;
      return Bound.ofAnswer(
          AnswerType.items(List.of(items.item()), items.valueKind()),
          (before, after) -> new ItemChanges(function, before, after).largest(share, limit));
    }
  }

  private record Change(long high, long low, long lower, long estimate, long upper) {
    /** The largest change in either direction that the bounds allow. */
    long most() {
      return Math.max(Math.abs(lower), Math.abs(upper));
    }
  }

  /**
   * The changes from one state to another.
   *
   * @param function the function of both states
   * @throws UdafException if it is not {@link HeavyHitters}
   */
  public ItemChanges(BoundUdaf function, SuperState before, SuperState after) {
    if (!(function instanceof WeightedItems items)
        || !(before instanceof ItemWeights first)
        || !(after instanceof ItemWeights second)) {
      throw new UdafException(
          "changes of items are told of states of HEAVY_HITTERS, found " + function.call().name());
    }
    this.valueKind = items.valueKind();
    this.before = first;
    this.after = second;
  }

  /**
   * Finds the items that may have changed by at least a share of the larger of the two sums of
   * weights: the largest estimates first, in either direction.
   *
   * @param share above 0, at most 1
   * @param limit the most items to give
   * @return for each item its weight after less its weight before, with bounds
   */
  public Items largest(double share, int limit) {
    if (!(share > 0 && share <= 1) || limit < 1) {
      throw new IllegalArgumentException(
          String.format(
              "expected a share above 0 and at most 1, and a limit from 1; found %s and %s",
              share, limit));
    }
    long threshold = ItemExtractors.threshold(Math.max(before.total(), after.total()), share);
    Map<IpAddress, Change> changes = new LinkedHashMap<>();
    for (ItemWeights side : List.of(before, after)) {
      for (ItemWeights.Weight found : side.search(threshold, MAX_ITEMS)) {
        changes.computeIfAbsent(
            new IpAddress(found.high(), found.low()), key -> change(key.hi(), key.lo()));
      }
    }
    Comparator<Change> order =
        Comparator.<Change>comparingLong(change -> -Math.abs(change.estimate))
            .thenComparing((a, b) -> IpAddress.compare(a.high, a.low, b.high, b.low));
    List<Items.Item> items = new ArrayList<>();
    changes.values().stream()
        .filter(change -> change.most() >= threshold)
        .sorted(order)
        .limit(limit)
        .forEach(
            change ->
                items.add(
                    new Items.Item(
                        List.of(ItemKey.value(before.kind(), change.high, change.low)),
                        new Estimate(
                            number(change.lower), number(change.estimate), number(change.upper)))));
    return new Items(items);
  }

  private Change change(long high, long low) {
    ItemWeights.Weight first = before.weight(high, low);
    ItemWeights.Weight second = after.weight(high, low);
    long lower = second.lower() - first.upper();
    long upper = second.upper() - first.lower();
    double cells =
        before instanceof SketchedWeights a && after instanceof SketchedWeights b
            ? a.change(b, high, low)
            : Double.NaN;
    long estimate = Double.isNaN(cells) ? second.estimate() - first.estimate() : Math.round(cells);
    return new Change(high, low, lower, Math.max(lower, Math.min(upper, estimate)), upper);
  }

  private Value number(long value) {
    return new Value(valueKind, 0, value, null);
  }

  /**
   * The largest distance of a change from its bounds: the sum of both states' errors, with the
   * probability that both hold. An omitted item changed by less than the requested share, or by
   * less than this error.
   */
  public ErrorBound error() {
    ErrorBound first = before.error();
    ErrorBound second = after.error();
    double probability = first.probability() + second.probability() - 1;
    return ErrorBound.additive(first.value() + second.value(), probability);
  }
}
