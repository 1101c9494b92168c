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

/**
 * What a table is to be made of: its slots, and the low halves of its functions. Where its size is
 * tuned, both follow what the table sees; whatever they are, groups that leave it can be merged.
 * Not thread-safe.
 */
final class TableTuner {
  private final GroupLayout layout;
  private final TableSize size;
  // Both null where nothing is tuned; the second also where all low halves are said.
  private final SlotTuner slots;
  private final LowHalfTuner lowHalves;
  // By function: its place among those that are tuned, −1 where it is not.
  private final int[] tunedOf;
  private final long[] spreads = new long[Vector.CAPACITY];
  private long resizes;

  /**
   * A table without rows.
   *
   * @param nanos a clock that only the differences of count
   */
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

  /** Slots to be asked for. */
  int slots() {
    return slots == null ? size.slots() : slots.slots();
  }

  /** Pads of the low halves that are chosen; null where there are no functions. */
  LowLevelPads pads() {
    SubAggregate[] low = new SubAggregate[tunedOf.length];
    for (int f = 0; f < low.length; f++) {
      low[f] = function(f).subAggregate();
    }
    return LowLevelPads.of(layout, low);
  }

  private BoundUdaf function(int f) {
    return tunedOf[f] >= 0 ? lowHalves.chosen(tunedOf[f]) : layout.functions().get(f).function();
  }

  /** With each choice the table would have other slots, as pads differ in size. */
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

  /**
   * Takes in rows that the table has taken.
   *
   * @param paneOf each selected row's pane; null where {@code pane} is that of all
   * @return whether it is to be made anew
   */
  boolean took(
      LowLevelTable table,
      KeyColumns keys,
      Vector[] arguments,
      int[] selection,
      int n,
      Pane[] paneOf,
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

  /** Takes in that an epoch has ended; likewise. */
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
    // Where pads are large, more slots may not be had.
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
