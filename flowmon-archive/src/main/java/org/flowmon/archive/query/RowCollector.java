package org.flowmon.archive.query;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.table.GroupCollector;
import org.flowmon.udaf.table.GroupTable;
import org.flowmon.udaf.table.RowLookup;

/** Takes the rows that a filter kept: into groups, or as they are. Not thread-safe. */
final class RowCollector {
  private final GroupCollector groups;
  private final RowLookup lookup;

  RowCollector(FlowQuery query) {
    this.groups = query.isAggregated() ? new GroupCollector(query) : null;
    this.lookup = query.isAggregated() ? null : new RowLookup(query);
  }

  void add(FlowRows rows, int from, int[] selection, int n) {
    if (groups != null) {
      groups.add(rows, from, selection, n);
    } else {
      lookup.add(rows, from, selection, n);
    }
  }

  /** Whether no further row can change the answer. */
  boolean isComplete() {
    return lookup != null && lookup.isComplete();
  }

  /** Takes in what another collected of the same aggregated query. */
  void merge(RowCollector other) {
    groups.merge(other.groups);
  }

  /** The groups so far, of an aggregated query. */
  GroupTable groups() {
    return groups.table();
  }

  ResultTable finish() {
    return groups != null ? groups.finish() : lookup.finish();
  }
}
