package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.query.FunctionCatalogue;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Extractors for states of {@link HeavyHitters}. */
final class ItemExtractors {
  private static final long MAX_ITEMS = 10_000;

  static final Extractor TOP =
      new Named(
          "TOP",
          "TOP(state, k)",
          (function, call) -> {
            int limit = (int) call.whole(0, "a number of items k", null, 1, MAX_ITEMS);
            call.atMost(1);
            return list(function, state -> state.search(1, limit));
          });

  static final Extractor ABOVE =
      new Named(
          "ABOVE",
          "ABOVE(state, share)",
          (function, call) -> {
            double share = call.decimal(0, "a share", null, 0, 1);
            call.atMost(1);
            return list(
                function, state -> state.search(threshold(state.total(), share), (int) MAX_ITEMS));
          });

  static final Extractor ESTIMATE =
      new Named(
          "ESTIMATE",
          "ESTIMATE(state, item)",
          (function, call) -> {
            Value item = item(function, call);
            call.atMost(1);
            boolean isAddress = function.item() == ValueKind.ADDRESS;
            long high = isAddress ? item.high() : ItemKey.highOfNumber(item.low());
            long low = isAddress ? item.low() : ItemKey.lowOfNumber(item.low());
            return value(
                function.valueKind(),
                state -> estimate(function.valueKind(), state.weight(high, low)),
                ItemWeights::error);
          });

  static final Extractor TOTAL =
      new Named(
          "TOTAL",
          "TOTAL(state)",
          (function, call) -> {
            call.atMost(0);
            return value(
                function.valueKind(),
                state -> Estimate.exact(number(function.valueKind(), state.total())),
                state -> ErrorBound.EXACT);
          });

  /** Rows of negative weight, which count nowhere. */
  static final Extractor REFUSED =
      new Named(
          "REFUSED",
          "REFUSED(state)",
          (function, call) -> {
            call.atMost(0);
            return value(
                ValueKind.LONG,
                state -> Estimate.exact(Value.ofLong(state.refused())),
                state -> ErrorBound.EXACT);
          });

  private ItemExtractors() {}

  /** The smallest weight, from 1, that is at least a share of a sum. */
  static long threshold(long total, double share) {
    return Math.max(1, (long) Math.ceil(share * total));
  }

  private static Value item(WeightedItems function, UdafCall call) {
    Value item = call.constant(0, "an item");
    if (item.kind() == ValueKind.TEXT && function.item() == ValueKind.ADDRESS) {
      IpAddress address = IpAddress.parseOrNull(item.text());
      item = address == null ? item : Value.ofAddress(address);
    }
    if (item.kind() != function.item()) {
      throw call.error(0, "an item to be " + function.item(), item.toString());
    }
    return item;
  }

  private static Value number(ValueKind kind, long value) {
    return Value.of(kind, value);
  }

  static Estimate estimate(ValueKind kind, ItemWeights.Weight weight) {
    return new Estimate(
        number(kind, weight.lower()),
        number(kind, weight.estimate()),
        number(kind, weight.upper()));
  }

  private static BoundExtractor list(
      WeightedItems function, Function<ItemWeights, List<ItemWeights.Weight>> search) {
    return new Bound(
        AnswerType.items(List.of(function.item()), function.valueKind()),
        state -> {
          List<Items.Item> items = new ArrayList<>();
          for (ItemWeights.Weight weight : search.apply(state)) {
            items.add(
                new Items.Item(
                    List.of(ItemKey.value(function.item(), weight.high(), weight.low())),
                    estimate(function.valueKind(), weight)));
          }
          return new Items(items);
        },
        ItemWeights::error);
  }

  private static BoundExtractor value(
      ValueKind kind,
      Function<ItemWeights, Estimate> extract,
      Function<ItemWeights, ErrorBound> error) {
    return new Bound(AnswerType.estimate(kind), extract::apply, error);
  }

  private record Bound(
      AnswerType type,
      Function<ItemWeights, Answer> extract,
      Function<ItemWeights, ErrorBound> error)
      implements BoundExtractor {
    @Override
    public Answer extract(SuperState state) {
      return extract.apply((ItemWeights) state);
    }

    @Override
    public ErrorBound bound(SuperState state) {
      return error.apply((ItemWeights) state);
    }
  }

  private record Named(
      String name, String signature, BiFunction<WeightedItems, UdafCall, BoundExtractor> binding)
      implements Extractor {
    @Override
    public FunctionCatalogue.Way exact() {
      boolean isExact = name.equals("TOTAL") || name.equals("REFUSED");
      return isExact ? FunctionCatalogue.Way.ITSELF : FunctionCatalogue.Way.SUMS;
    }

    @Override
    public BoundExtractor bind(BoundUdaf function, UdafCall call) {
      return binding.apply((WeightedItems) function, call);
    }
  }
}
