package org.flowmon.udaf.lowlevel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.flowmon.udaf.aggregate.GroupFunction;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.group.KeyColumns;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.tuning.LowHalfTuner;
import org.flowmon.udaf.tuning.SlotTuner;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Tunes slots and low halves by a table's measurements, if its size is tuned. Groups that leave it
 * can be merged whatever the tuning. Not thread-safe.
 */
final class TableTuner {
  private final GroupLayout layout;
  private final TableSize size;
  // Both null if nothing is tuned; the second also if all low halves are given.
  private final @Nullable SlotTuner slots;
  private final @Nullable LowHalfTuner lowHalves;
  // By function: its index among the tuned ones, −1 if it is not tuned.
  private final int[] tunedOf;
  private final long[] spreads = new long[Vector.CAPACITY];
  private long resizes;

  /** A table without rows; of the clock only differences count. */
  TableTuner(GroupLayout layout, TableSize size, LongSupplier nanos) {
    this.layout = layout;
    this.size = size;
    int first = layout.functions().isEmpty() ? SlotTuner.FIRST : SlotTuner.FIRST_WITH_PADS;
    this.slots = size.isTuned() ? new SlotTuner(size.slots(), first) : null;
    this.tunedOf = new int[layout.functions().size()];
    List<LowHalfTuner.Tuned> open = new ArrayList<>();
    for (int f = 0; f < tunedOf.length; f++) {
      GroupFunction function = layout.functions().get(f);
      List<BoundUdaf> choices = function.function().choices();
      tunedOf[f] = size.isTuned() && choices.size() > 1 ? open.size() : -1;
      if (tunedOf[f] >= 0) {
        List<Integer> arguments = new ArrayList<>();
        for (int a = 0; a < function.arguments(); a++) {
          arguments.add(function.argument(a));
        }
        open.add(new LowHalfTuner.Tuned(f, choices, arguments));
      }
    }
    this.lowHalves = open.isEmpty() ? null : new LowHalfTuner(open, nanos);
    setSlotsOfChoices();
  }

  /** Requested. */
  int slots() {
    return slots == null ? size.slots() : slots.slots();
  }

  /** Pads of the chosen low halves; null if there are no functions. */
  @Nullable LowLevelPads pads() {
    SubAggregate[] low = new SubAggregate[tunedOf.length];
    for (int f = 0; f < low.length; f++) {
      low[f] = function(f).subAggregate();
    }
    return LowLevelPads.of(layout, low);
  }

  private BoundUdaf function(int f) {
    return lowHalves != null && tunedOf[f] >= 0
        ? lowHalves.chosen(tunedOf[f])
        : layout.functions().get(f).function();
  }

  /** Computes the slots of the table for each choice, as pads differ in size. */
  private void setSlotsOfChoices() {
    if (lowHalves == null) {
      return;
    }
    for (int t = 0; t < lowHalves.functions().size(); t++) {
      LowHalfTuner.Tuned tuned = lowHalves.functions().get(t);
      int others = 0;
      for (int f = 0; f < tunedOf.length; f++) {
        others += f == tuned.function() ? 0 : function(f).subAggregate().words();
      }
      int[] byChoice = new int[tuned.choices().size()];
      for (int c = 0; c < byChoice.length; c++) {
        int words = others + tuned.choices().get(c).subAggregate().words();
        byChoice[c] = LowLevelTable.slotsWith(words, layout, slots());
      }
      lowHalves.slots(t, byChoice);
    }
  }

  /** Measures taken rows; whether to rebuild. {@code paneOf} null: all are of {@code pane}. */
  boolean took(
      LowLevelTable table,
      KeyColumns keys,
      Vector[] arguments,
      int[] selection,
      int n,
      Pane @Nullable [] paneOf,
      Pane pane) {
    if (slots == null) {
      return false;
    }
    boolean resized = slots.took(table.rows(), table.evictions() + table.passedRows());
    boolean changed = false;
    if (lowHalves != null) {
      if (paneOf != null) {
        for (int r = 0; r < n; r++) {
          spreads[r] = LowLevelTable.spread(paneOf[r]);
        }
      }
      changed =
          lowHalves.took(
              keys.hashes,
              arguments,
              selection,
              n,
              paneOf == null ? null : spreads,
              paneOf == null ? LowLevelTable.spread(pane) : 0);
    }
    return settle(table, resized, changed);
  }

  /** Notes the end of an epoch; returns whether the table must be rebuilt. */
  boolean epochEnds(LowLevelTable table) {
    if (slots == null) {
      return false;
    }
    if (lowHalves != null) {
      lowHalves.epochEnds();
    }
    return settle(table, slots.epochEnds(table.takeMostUsed()), false);
  }

  private boolean settle(LowLevelTable table, boolean resized, boolean changed) {
    if (resized || changed) {
      setSlotsOfChoices();
    }
    // If pads are large, more slots may not fit.
    int padWords = 0;
    for (int f = 0; f < tunedOf.length && resized; f++) {
      padWords += function(f).subAggregate().words();
    }
    boolean isOther =
        resized && LowLevelTable.slotsWith(padWords, layout, slots()) != table.slots();
    resizes += isOther ? 1 : 0;
    return isOther || changed;
  }

  LowLevelTuning tuning(LowLevelTable table) {
    return new LowLevelTuning(
        table.slots(),
        resizes,
        lowHalves == null ? 0 : lowHalves.switches(),
        lowHalves == null ? 0 : lowHalves.trials(),
        lowHalves == null ? "" : lowHalves.toString());
  }
}
