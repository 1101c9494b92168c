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
  private final NarrowSorter sorter;
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
    this.sorter = new NarrowSorter(layout, keyBits);
    this.scratch = new PackedTable(layout, memory);
  }

  @Override
  public SortedGroups make(int part, SortedGroups.Arena arena) {
    PackedTable made = tables[part];
    tables[part] = null;
    if (made.size() == 0 && sorter.canSort(rests, part)) {
      return sorter.group(rests, part, arena);
    }
    // Some rows are in groups already, or do not fit one long, or there are many.
    PackedTable table = made.size() > 0 ? made : scratch;
    for (CutRows rest : rests) {
      adder.add(rest, part, table);
    }
    SortedGroups groups = arena.copy(table, layout.stateWords());
    scratch.clear();
    made.release();
    return groups;
  }
}
