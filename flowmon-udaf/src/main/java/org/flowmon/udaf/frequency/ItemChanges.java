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
 * The items that changed most between two states of {@link HeavyHitters} (hours, days, sites),
 * which stay. One that changed by a share of the larger sum weighs that much in a state: a search
 * of each finds all but those the states miss ({@link #error}). Two sketches estimate a change by
 * their cells' differences: unchanged items cancel out.
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
    long most() {
      return Math.max(Math.abs(lower), Math.abs(upper));
    }
  }

  /** Throws {@link UdafException} for another function than {@link HeavyHitters}. */
  public ItemChanges(BoundUdaf function, SuperState before, SuperState after) {
    if (!(function instanceof WeightedItems items)
        || !(before instanceof ItemWeights first)
        || !(after instanceof ItemWeights second)) {
      throw new UdafException(
          "expected states of HEAVY_HITTERS, found those of " + function.call().name());
    }
    this.valueKind = items.valueKind();
    this.before = first;
    this.after = second;
  }

  /**
   * Items that may have changed by a share (above 0, at most 1) of the larger sum of weights: at
   * most {@code limit}, the largest estimates first, either way, as weight after less before, with
   * bounds.
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
    return Value.of(valueKind, value);
  }

  /**
   * Of a change, with the probability of both states' errors, which it sums. An omitted item
   * changed by less than the requested share, or by less than this.
   */
  public ErrorBound error() {
    ErrorBound first = before.error();
    ErrorBound second = after.error();
    double probability = first.probability() + second.probability() - 1;
    return ErrorBound.additive(first.value() + second.value(), probability);
  }
}
