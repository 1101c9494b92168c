package org.flowmon.archive.query.group.table;

import java.util.List;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;

/** Makes the groups of partitions from the rows that threads have collected. Not thread-safe. */
public final class RowGroupMaker implements GroupMaker {
  private final PackedTable[] tables;
  private final List<CutRows> rests;
  private final GroupLayout layout;
  private final RowAdder adder;
  private final NarrowSorter narrowSorter;
  private final RowSorter sorter;
  private final PackedTable scratch;

  /** {@code tables}: made when a thread ran out of memory; {@code rests} are in no group yet. */
  public RowGroupMaker(
      PackedTable[] tables,
      List<CutRows> rests,
      GroupLayout layout,
      int keyBits,
      GroupMemory memory) {
    this.tables = tables;
    this.rests = rests;
    this.layout = layout;
    this.adder = new RowAdder(layout);
    this.narrowSorter = new NarrowSorter(layout, keyBits);
    this.sorter = new RowSorter(layout, memory);
    this.scratch = new PackedTable(layout, memory);
  }

  @Override
  public SortedGroups make(int part, SortedGroups.Arena arena) {
    PackedTable made = tables[part];
    tables[part] = null;
    if (made.size() > 0) {
      return inTable(part, made, arena);
    }
    return narrowSorter.canSort(rests, part)
        ? narrowSorter.group(rests, part, arena)
        : sorter.group(rests, part, arena).orElseGet(() -> inTable(part, scratch, arena));
  }

  @Override
  public void release() {
    sorter.release();
  }

  /** Adds rows to groups made before, or to none if rows are too many to be sorted. */
  private SortedGroups inTable(int part, PackedTable table, SortedGroups.Arena arena) {
    for (CutRows rest : rests) {
      adder.add(rest, part, table);
    }
    SortedGroups groups = arena.copy(table, layout.stateWords());
    if (table == scratch) {
      scratch.clear();
    } else {
      table.release();
    }
    return groups;
  }
}
