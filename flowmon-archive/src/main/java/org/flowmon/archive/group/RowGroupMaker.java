package org.flowmon.archive.group;

import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;

/** Makes the groups of partitions of rows that threads have collected. Not thread-safe. */
final class RowGroupMaker implements GroupMaker {
  private final PackedTable[] tables;
  private final List<PartitionedRows> rests;
  private final GroupLayout layout;
  private final RowAdder adder;
  private final RowSorter sorter;
  private final PackedTable scratch;

  /**
   * @param tables groups by partition that were made when a thread ran out of memory
   * @param rests rows of threads that are in no group yet
   */
  RowGroupMaker(PackedTable[] tables, List<PartitionedRows> rests, GroupLayout layout) {
    this.tables = tables;
    this.rests = rests;
    this.layout = layout;
    this.adder = new RowAdder(layout);
    this.sorter = new RowSorter(layout);
    this.scratch = new PackedTable(layout);
  }

  @Override
  public SortedGroups make(int part, SortedGroups.Arena arena) {
    PackedTable made = tables[part];
    tables[part] = null;
    SortedGroups groups = made.size() > 0 ? null : sorter.group(rests, part, arena);
    if (groups != null) {
      return groups;
    }
    // Some are in groups already, or they are many.
    PackedTable table = made.size() > 0 ? made : scratch;
    for (PartitionedRows rest : rests) {
      adder.add(rest, part, table);
    }
    groups = arena.copy(table, layout.stateWords());
    scratch.clear();
    return groups;
  }
}
