package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.catalogue.UdafCatalogue;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.StateValue;

/**
 * The error bound of a value such as {@code QUANTILE(QUANTILES(bytes), 0.95)} over all rows of a
 * result: the largest error of a row, and the smallest probability that a row's answer keeps to its
 * own.
 */
public record ValueBound(String value, ErrorBound bound) {
  /** Of selected values, also exact ones, in the text's order, each once; exact without rows. */
  public static List<ValueBound> of(GroupTable table, FlowQuery query, int[] groups) {
    Map<String, ErrorBound> bounds = new LinkedHashMap<>();
    for (AggregateCall call : selected(query)) {
      if (call.isState() && !call.state().isState()) {
        String value = call.withPart(StateValue.Part.VALUE).toString();
        if (!bounds.containsKey(value)) {
          bounds.put(value, largest(table, call, groups));
        }
      }
    }
    List<ValueBound> all = new ArrayList<>();
    bounds.forEach((value, bound) -> all.add(new ValueBound(value, bound)));
    return List.copyOf(all);
  }

  /** The bounds of several results: each value once, with a bound that holds in all of them. */
  public static List<ValueBound> ofEach(List<ValueBound> ofResults) {
    Map<String, ErrorBound> bounds = new LinkedHashMap<>();
    ofResults.forEach(one -> bounds.merge(one.value(), one.bound(), ValueBound::larger));
    List<ValueBound> all = new ArrayList<>();
    bounds.forEach((value, bound) -> all.add(new ValueBound(value, bound)));
    return List.copyOf(all);
  }

  private static List<AggregateCall> selected(FlowQuery query) {
    List<SelectItem> items = query.select();
    return new FlowQuery(items, null, query.groupBy(), List.of(), -1).aggregates();
  }

  private static ErrorBound largest(GroupTable table, AggregateCall call, int[] groups) {
    int place = table.layout().functionOf(call);
    BoundUdaf function = table.layout().functions().get(place).function();
    BoundExtractor extractor = UdafCatalogue.extractor(function, call);
    ErrorBound largest = ErrorBound.EXACT;
    for (int group : groups) {
      table.memory().check();
      largest = larger(largest, extractor.bound(table.requireStates().state(place, group)));
    }
    return largest;
  }

  /** A bound that holds for answers of both bounds. */
  public static ErrorBound larger(ErrorBound a, ErrorBound b) {
    if (a.isExact()) { // an exact bound may have another unit
      return b;
    } else if (b.isExact()) {
      return a;
    }
    return new ErrorBound(
        a.kind(), Math.max(a.value(), b.value()), Math.min(a.probability(), b.probability()));
  }
}
