package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.query.posting.AddressIds;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.vector.Vector;

/**
 * Adds cells to groups. Filter and keys are evaluated when an address first occurs in a source;
 * slices with the same inputs to the keys reuse its group. Not thread-safe.
 */
public final class CellCollector {
  private static final int UNKNOWN = -1;
  private static final int REJECTED = -2;

  private final RollupRule rule;
  private final GroupLayout layout;
  private final Deadline deadline;
  private final CompiledPredicate filter;
  private final CompiledExpression[] keys;
  private final Vector[] keyVectors;
  private final CellReader reader = new CellReader();
  private final CellRows rows = new CellRows();
  // By outgoing, then by id from the first one on: its group.
  private final int[][] groupOf = new int[3][0];
  private final int[] ids = new int[RollupFormat.BLOCK];
  private final int[] places = new int[RollupFormat.BLOCK];
  private final int[] unknown = new int[RollupFormat.BLOCK];
  private final int[] selection = new int[Vector.CAPACITY];
  private final int[] found = new int[RollupFormat.BLOCK];
  private final int[] groups = new int[RollupFormat.BLOCK];
  private final CellStates states;

  private long cells;

  public CellCollector(RollupRule rule, Deadline deadline) {
    this.rule = rule;
    this.deadline = deadline;
    this.layout = GroupLayout.of(rule.query());
    this.filter = CompiledPredicate.of(rule.cellFilter());
    this.keys =
        layout.keys().stream().map(CompiledExpression::of).toArray(CompiledExpression[]::new);
    this.keyVectors = Arrays.stream(keys).map(CompiledExpression::newVector).toArray(Vector[]::new);
    this.states = new CellStates(layout);
  }

  GroupLayout layout() {
    return layout;
  }

  public long cells() {
    return cells;
  }

  /** Adds ids {@code idFrom … idTo − 1}; the id of NULL is the largest. */
  void add(CellSource source, int idFrom, int idTo, GroupTable into) {
    Rollup rollup = source.rollup();
    for (int o = 0; o < groupOf.length; o++) {
      if (groupOf[o].length < idTo - idFrom) {
        groupOf[o] = new int[idTo - idFrom];
      }
      Arrays.fill(groupOf[o], 0, idTo - idFrom, UNKNOWN);
    }
    states.begin(rollup);
    long hour = RollupFormat.NO_HOUR;
    for (int i = 0; i < source.slices(); i++) {
      int slice = source.slice(i);
      deadline.check();
      if (rule.hasHourKeys() && rollup.hour(slice) != hour) {
        hour = rollup.hour(slice);
        for (int[] known : groupOf) {
          Arrays.fill(known, 0, idTo - idFrom, UNKNOWN);
        }
      }
      reader.open(rollup, slice);
      states.open(source, slice);
      addSlice(source, slice, idFrom, idTo, into);
    }
  }

  private void addSlice(CellSource source, int slice, int idFrom, int idTo, GroupTable into) {
    if (source.ids().isEmpty()) {
      for (int b = reader.blockOf(idFrom); b < reader.blocks(); b++) {
        if (reader.firstId(b) >= idTo) {
          return;
        }
        reader.readIds(b, ids);
        addBlock(source, slice, b, select(reader.cells(b), idFrom, idTo), idFrom, into);
      }
      return;
    }
    int block = -1;
    int n = 0;
    for (AddressIds some : source.ids().get()) {
      int from = Math.max(idFrom, some.from());
      int to = Math.min(idTo, some.to());
      for (int b = from < to ? reader.blockOf(from) : reader.blocks(); b < reader.blocks(); b++) {
        if (reader.firstId(b) >= to) {
          break;
        }
        if (b != block) {
          addBlock(source, slice, block, n, idFrom, into);
          reader.readIds(b, ids);
          block = b;
          n = 0;
        }
        n = selectMore(reader.cells(b), from, to, n);
      }
    }
    addBlock(source, slice, block, n, idFrom, into);
  }

  private int select(int count, int idFrom, int idTo) {
    int from = ids[0] >= idFrom ? 0 : placeOf(idFrom, count);
    int to = ids[count - 1] < idTo ? count : placeOf(idTo, count);
    for (int i = from; i < to; i++) {
      places[i - from] = i;
    }
    return to - from;
  }

  private int selectMore(int count, int idFrom, int idTo, int n) {
    int selected = n;
    for (int i = placeOf(idFrom, count); i < count && ids[i] < idTo; i++) {
      places[selected++] = i;
    }
    return selected;
  }

  private int placeOf(int id, int count) {
    int place = Arrays.binarySearch(ids, 0, count, id);
    return place >= 0 ? place : -place - 1;
  }

  private void addBlock(
      CellSource source, int slice, int block, int n, int idFrom, GroupTable into) {
    if (n == 0) {
      return;
    }
    Rollup rollup = source.rollup();
    int outgoing = rollup.outgoing(slice);
    int[] known = groupOf[outgoing];
    int unknowns = 0;
    for (int i = 0; i < n; i++) {
      int id = ids[places[i]];
      unknown[unknowns] = id;
      unknowns += known[id - idFrom] == UNKNOWN ? 1 : 0;
    }
    if (unknowns > 0) {
      resolve(source, slice, unknowns, known, idFrom, into);
    }
    int kept = 0;
    for (int i = 0; i < n; i++) {
      int group = known[ids[places[i]] - idFrom];
      groups[kept] = group;
      places[kept] = places[i];
      kept += group >= 0 ? 1 : 0;
    }
    cells += n;
    if (kept > 0) {
      states.read(reader, block, places, kept);
      into.merge(groups, states.words(), kept);
    }
  }

  private void resolve(
      CellSource source, int slice, int n, int[] known, int idFrom, GroupTable into) {
    rows.load(source, unknown, n, slice);
    int selected = filter.select(rows, 0, n, selection);
    if (selected < n) {
      for (int i = 0; i < n; i++) {
        known[unknown[i] - idFrom] = REJECTED;
      }
    }
    for (int k = 0; k < keys.length; k++) {
      keys[k].evaluate(rows, 0, n, keyVectors[k]);
    }
    into.find(keyVectors, selection, selected, found);
    for (int i = 0; i < selected; i++) {
      known[unknown[selection[i]] - idFrom] = found[i];
    }
  }
}
