package org.flowmon.archive.query;

import org.flowmon.archive.group.PackedCollector;
import org.flowmon.archive.group.PackedGroups;
import org.flowmon.archive.segment.EncodedRows;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.table.GroupCollector;
import org.flowmon.udaf.table.GroupTable;
import org.flowmon.udaf.table.RowLookup;

/**
 * Takes the rows that a filter kept: into groups by one of two ways, or as they are. Not
 * thread-safe.
 */
final class RowCollector {
  private final GroupCollector groups;
  private final PackedCollector packed;
  private final RowLookup lookup;

  /**
   * @param packedGroups takes the groups, null where {@link GroupTable}s do
   */
  RowCollector(FlowQuery query, PackedGroups packedGroups) {
    boolean aggregated = query.isAggregated();
    this.packed = packedGroups == null ? null : packedGroups.collector();
    this.groups = aggregated && packed == null ? new GroupCollector(query) : null;
    this.lookup = aggregated ? null : new RowLookup(query);
  }

  /** Rows that follow are of this segment. */
  void begin(SegmentReader segment) {
    if (packed != null) {
      packed.begin(segment);
    }
  }

  void add(EncodedRows rows, int from, int[] selection, int n) {
    if (packed != null) {
      packed.add(rows, from, selection, n);
    } else if (groups != null) {
      groups.add(rows, from, selection, n);
    } else {
      lookup.add(rows, from, selection, n);
    }
  }

  /** All rows were added. */
  void end() {
    if (packed != null) {
      packed.end();
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

  /** The groups so far, of an aggregated query without packed groups. */
  GroupTable groups() {
    return groups.table();
  }

  ResultTable finish() {
    return groups != null ? groups.finish() : lookup.finish();
  }
}
