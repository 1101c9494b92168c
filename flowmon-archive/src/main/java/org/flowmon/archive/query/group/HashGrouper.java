package org.flowmon.archive.query.group;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.GroupCollector;

/** Groups in a hash table of the keys' values for each thread, which are merged at the end. */
public final class HashGrouper implements Grouper {
  private final FlowQuery query;
  private final GroupMemory memory;
  private final List<GroupCollector> collectors = new ArrayList<>();

  public HashGrouper(FlowQuery query, GroupMemory memory) {
    this.query = query;
    this.memory = memory;
  }

  @Override
  public synchronized RowCollector collector() {
    GroupCollector collector = new GroupCollector(query, memory);
    collectors.add(collector);
    return collector::add;
  }

  /** The groups of each thread that has any, once all collectors have ended. */
  public List<GroupTable> tables() {
    return collectors.stream()
        .map(GroupCollector::table)
        .filter(table -> table.size() > 0)
        .toList();
  }

  @Override
  public GroupAnswer.WithBounds answer(int threads, Deadline deadline) {
    return new GroupAnswer(merged(deadline), query, deadline::check).finishWithBounds();
  }

  @Override
  public void groups(Consumer<GroupTable> to, Deadline deadline) {
    for (GroupTable table : tables()) {
      deadline.check();
      to.accept(table);
    }
  }

  @Override
  public void count(
      DistinctCounts counts, int grouping, GroupTable into, int threads, Deadline deadline) {
    counts.count(grouping, merged(deadline), into);
  }

  private GroupTable merged(Deadline deadline) {
    List<GroupTable> tables = tables();
    GroupTable all =
        tables.isEmpty() ? new GroupTable(GroupLayout.of(query), memory) : tables.get(0);
    for (int t = 1; t < tables.size(); t++) {
      deadline.check();
      all.merge(tables.get(t), deadline::check);
    }
    return all;
  }

  @Override
  public String toString() {
    return "hash tables";
  }
}
