package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.value.Value;

/** A list of items with an estimate each, in the extractor's order. Immutable. */
public record Items(List<Item> items) implements Answer {
  public Items {
    items = List.copyOf(items);
  }

  /** Its values are of the kinds of {@link AnswerType#key}. */
  public record Item(List<Value> key, Estimate estimate) {
    public Item {
      key = List.copyOf(key);
    }
  }
}
