package org.flowmon.udaf.frequency;

import java.util.List;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.PairBytes;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;

/** A state of {@link HeavyHitters}: the weights of items at the high level. */
abstract class ItemWeights implements SuperState {
  private final ValueKind kind;
  private long refused;

  /** A state without rows of items of a kind: ADDRESS or a whole number. */
  ItemWeights(ValueKind kind) {
    this.kind = kind;
  }

  /** An item with the bounds of its weight, both included. */
  record Weight(long high, long low, long lower, long estimate, long upper) {}

  final ValueKind kind() {
    return kind;
  }

  /** Rows of negative weight, which count nowhere. */
  final long refused() {
    return refused;
  }

  /** The sum of all weights, exact below 2^63 − 1. */
  abstract long total();

  abstract Weight weight(long high, long low);

  /** Of an upper bound from the threshold (≥ 1) on, by largest estimate, then by key. */
  abstract List<Weight> search(long threshold, int limit);

  abstract ErrorBound error();

  abstract void add(long high, long low, long weight);

  abstract void mergeForm(int form, StateReader reader);

  @Override
  public final void merge(StateReader reader) {
    if (reader.remaining() == 0) {
      return;
    }
    int form = reader.getByte();
    if (form == PairBytes.FORM) {
      refused = PairBytes.read(reader, kind == ValueKind.ADDRESS, refused, this::add);
    } else {
      mergeForm(form, reader);
    }
  }

  final void addRefused(long more) {
    refused = ItemKey.plus(refused, more);
  }

  static StateFormatException unknownForm(StateReader reader, int form, String expected) {
    return reader.error("expected form " + expected + ", found " + form);
  }

  static int compare(Weight a, Weight b) {
    int order = Long.compare(b.estimate, a.estimate);
    if (order == 0) {
      order = Long.compareUnsigned(a.high, b.high);
    }
    return order == 0 ? Long.compareUnsigned(a.low, b.low) : order;
  }
}
