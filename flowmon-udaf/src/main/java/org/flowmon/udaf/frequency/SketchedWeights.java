package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.countmin.Candidates;
import org.flowmon.udaf.countmin.ItemCounts;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.ItemSink;
import org.flowmon.udaf.countmin.SketchBytes;
import org.flowmon.udaf.countmin.SketchShape;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.jspecify.annotations.Nullable;

/**
 * The high halves that sketch, at once or after a number of exact items ("Holistic UDAFs at
 * Streaming Speeds", section 4.2, strategies A, B and C).
 */
final class SketchedWeights extends ItemWeights {
  // Objects and array headers, rounded up.
  private static final long FIXED_BYTES = 256;

  private final SketchedAggregate aggregate;
  private @Nullable ItemCounts exact;
  private long @Nullable [] narrow;
  private long @Nullable [] wide;

  SketchedWeights(SketchedAggregate aggregate) {
    super(aggregate.kind());
    this.aggregate = aggregate;
    this.exact = aggregate.exactItems() == 0 ? null : new ItemCounts();
  }

  @Override
  void add(long high, long low, long weight) {
    if (exact != null) {
      exact.add(high, low, weight);
      if (exact.size() > aggregate.exactItems()) {
        sketch();
      }
    } else if (ItemKey.isNarrow(high, low)) {
      aggregate.narrow().add(narrow(), 0, (int) low, weight);
    } else {
      aggregate.wide().add(wide(), 0, high, low, weight, aggregate.candidates());
    }
  }

  private void sketch() {
    ItemCounts items = exact;
    if (items != null) {
      exact = null;
      // By key: slot order differs between processes.
      long[] sorted = items.sorted();
      for (int i = 0; i < sorted.length; i += 3) {
        add(sorted[i], sorted[i + 1], sorted[i + 2]);
      }
    }
  }

  private long[] narrow() {
    if (narrow == null) {
      narrow = new long[aggregate.narrow().words()];
    }
    return narrow;
  }

  private long[] wide() {
    if (wide == null) {
      wide = new long[aggregate.wide().words()];
    }
    return wide;
  }

  @Override
  void mergeForm(int form, StateReader reader) {
    switch (form) {
      case SketchBytes.EXACT_FORM -> {
        long[] items = SketchBytes.readExact(reader, kind());
        addRefused(items[0]);
        for (int i = 1; i < items.length; i += 3) {
          add(items[i], items[i + 1], items[i + 2]);
        }
      }
      case SketchBytes.LOW_FORM, SketchBytes.HIGH_FORM -> {
        SketchBytes.Parts parts = SketchBytes.read(reader, aggregate.shape(), kind());
        addRefused(parts.refused());
        if (parts.narrow() != null || parts.wide() != null) {
          sketch();
        }
        if (parts.narrow() != null) {
          aggregate.narrow().merge(narrow(), 0, parts.narrow(), 0);
        }
        if (parts.wide() != null) {
          aggregate.wide().merge(wide(), 0, parts.wide(), 0, aggregate.candidates());
        }
      }
      default -> throw unknownForm(reader, form, "16 \u2026 19");
    }
  }

  @Override
  public void output(StateSink sink) {
    if (exact == null) {
      long[] scratch = new long[wide == null ? 0 : SketchBytes.scratchWords(aggregate.shape())];
      SketchBytes.write(
          SketchBytes.HIGH_FORM, aggregate.shape(), refused(), narrow, 0, wide, 0, scratch, sink);
    } else if (exact.size() > 0 || refused() > 0) {
      SketchBytes.writeExact(refused(), exact, sink);
    }
  }

  @Override
  public long memoryBytes() {
    long words = exact == null ? 0 : exact.words();
    words += narrow == null ? 0 : narrow.length;
    words += wide == null ? 0 : wide.length;
    return FIXED_BYTES + 8 * words;
  }

  /** Any item may turn the state into sketches, and sketches are read whole. */
  @Override
  public long growth(StateReader bytes) {
    int form = bytes.peek();
    boolean isSketch = form == SketchBytes.LOW_FORM || form == SketchBytes.HIGH_FORM;
    long narrowWords = aggregate.narrow().words();
    long wideWords = aggregate.wide().words();
    long read = isSketch ? 8 * (narrowWords + wideWords) + 8L * bytes.remaining() : 0;
    // An item with its weight takes at least two bytes.
    int items = bytes.remaining() / 2;
    if (exact != null && !isSketch && exact.size() + items <= aggregate.exactItems()) {
      return 8L * ItemCounts.words(exact.size() + items) + 24L * items;
    }
    long sketches = (narrow == null ? narrowWords : 0) + (wide == null ? wideWords : 0);
    long ofItems = exact == null ? 0 : 8L * ItemCounts.words(aggregate.exactItems() + 1);
    return 8 * sketches + ofItems + read + 24L * items;
  }

  /** A sketch may be smaller than the items before it. */
  @Override
  public long chargedBytes() {
    int exactItems = aggregate.exactItems();
    long most = exactItems == 0 ? 0 : ItemCounts.words(exactItems);
    return exact != null ? memoryBytes() : Math.max(FIXED_BYTES + 8 * most, memoryBytes());
  }

  @Override
  long total() {
    if (exact != null) {
      long[] sum = {0};
      exact.forEach((high, low, weight) -> sum[0] = ItemKey.plus(sum[0], weight));
      return sum[0];
    }
    return ItemKey.plus(narrow == null ? 0 : narrow[0], wide == null ? 0 : wide[0]);
  }

  @Override
  Weight weight(long high, long low) {
    if (exact != null) {
      long weight = exact.weight(high, low);
      return new Weight(high, low, weight, weight, weight);
    }
    long upper;
    if (ItemKey.isNarrow(high, low)) {
      upper = narrow == null ? 0 : aggregate.narrow().upper(narrow, 0, (int) low);
    } else {
      upper = wide == null ? 0 : aggregate.wide().upper(wide, 0, high, low);
    }
    return sketched(high, low, upper);
  }

  private Weight sketched(long high, long low, long upper) {
    long lower;
    if (ItemKey.isNarrow(high, low)) {
      lower = narrow == null ? 0 : Math.max(0, upper - aggregate.shape().error(narrow[0]));
    } else {
      lower = wide == null ? 0 : aggregate.wide().lower(wide, 0, high, low);
    }
    return new Weight(high, low, lower, upper, upper);
  }

  @Override
  List<Weight> search(long threshold, int limit) {
    List<Weight> found = new ArrayList<>();
    if (exact != null) {
      exact.forEach(
          (high, low, weight) -> {
            if (weight >= threshold) {
              found.add(new Weight(high, low, weight, weight, weight));
            }
          });
    } else {
      ItemSink list = (high, low, upper) -> found.add(sketched(high, low, upper));
      if (narrow != null) {
        aggregate.narrow().search(narrow, 0, threshold, limit, list);
      }
      if (wide != null) {
        aggregate.wide().search(wide, 0, threshold, list);
      }
    }
    found.sort(ItemWeights::compare);
    return found.size() > limit ? List.copyOf(found.subList(0, limit)) : found;
  }

  /** Certain for wide items, not for narrow ones. */
  @Override
  ErrorBound error() {
    if (exact != null) {
      return ErrorBound.EXACT;
    }
    long certain = wide == null ? 0 : Candidates.offset(wide, aggregate.wide().candidatesAt());
    if (narrow == null) {
      return ErrorBound.additive((double) certain, 1);
    }
    return ErrorBound.additive(
        (double) Math.max(certain, aggregate.shape().error(narrow[0])), SketchShape.PROBABILITY);
  }

  /** From cells; NaN if one of the states has no sketch of such items. */
  double change(SketchedWeights after, long high, long low) {
    if (ItemKey.isNarrow(high, low)) {
      return narrow == null || after.narrow == null
          ? Double.NaN
          : aggregate.narrow().change(narrow, after.narrow, (int) low);
    }
    return wide == null || after.wide == null
        ? Double.NaN
        : aggregate.wide().change(wide, after.wide, high, low);
  }
}
