package org.flowmon.archive.query.scan;

import org.flowmon.archive.query.group.PackedCollector;
import org.flowmon.archive.query.group.PackedGroups;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.segment.reader.EncodedRows;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.value.ResultTable;

/**
 * Collects the rows that a filter kept, into groups of one of two kinds or as rows. Not
 * thread-safe.
 */
public final class RowCollector {
  // By grouping: one of the two.
  private final GroupCollector[] groups;
  private final PackedCollector[] packed;
  private RowLookup lookup; // null for an aggregated query

  /**
   * An empty collector.
   *
   * @param packedGroups by grouping: takes the groups, null if {@link GroupTable}s do
   * @param memory charged for the groups, or the rows, of all collectors together
   */
  public RowCollector(Groupings groupings, PackedGroups[] packedGroups, GroupMemory memory) {
    int n = groupings.all().size();
    this.groups = new GroupCollector[n];
    this.packed = new PackedCollector[n];
    for (int g = 0; g < n; g++) {
      if (packedGroups[g] == null) {
        groups[g] = new GroupCollector(groupings.all().get(g), memory);
      } else {
        packed[g] = packedGroups[g].collector();
      }
    }
    this.lookup = n == 0 ? new RowLookup(groupings.query(), memory) : null;
  }

  /** Starts a segment. */
  void begin(SegmentReader segment) {
    for (PackedCollector collector : packed) {
      if (collector != null) {
        collector.begin(segment);
      }
    }
  }

  void add(EncodedRows rows, int from, int[] selection, int n) {
    if (lookup != null) {
      lookup.add(rows, from, selection, n);
    }
    for (int g = 0; g < groups.length; g++) {
      if (packed[g] != null) {
        packed[g].add(rows, from, selection, n);
      } else {
        groups[g].add(rows, from, selection, n);
      }
    }
  }

  /** Sends the following rows to another lookup. */
  public void addTo(RowLookup other) {
    lookup = other;
  }

  /** Announces about so many rows of the segment. */
  void expect(int rows) {
    if (lookup != null) {
      lookup.expect(rows);
    }
  }

  /** Ends the collection after the last row. */
  public void end() {
    for (PackedCollector collector : packed) {
      if (collector != null) {
        collector.end();
      }
    }
  }

  /** Whether no further row can change the answer. */
  public boolean isComplete() {
    return lookup != null && lookup.isComplete();
  }

  /** The groups so far of a grouping that is not packed. */
  public GroupTable groups(int grouping) {
    return groups[grouping].table();
  }

  /**
   * The answer of a query of single rows.
   *
   * @param check runs now and then, and may throw to end it
   */
  public ResultTable rows(Runnable check) {
    return lookup.finish(check);
  }
}
