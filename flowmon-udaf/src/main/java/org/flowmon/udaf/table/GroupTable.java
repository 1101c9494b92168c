package org.flowmon.udaf.table;

import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * A growing table of groups with exact states. Merging is commutative and associative: the result
 * is the same in whatever order and over however many tables rows were added. Not thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class GroupTable {
  public GroupTable(GroupLayout layout) {
    throw new UnsupportedOperationException("not built yet");
  }

  public GroupLayout layout() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Number of groups. */
  public int size() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Bytes that the table holds on the heap, roughly. */
  public long heapBytes() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Adds rows.
   *
   * @param keys one vector for each of {@link GroupLayout#keys}
   * @param arguments one for each of {@link GroupLayout#arguments}
   * @param selection the places of the rows in the vectors
   * @param n how many of them
   */
  public void add(Vector[] keys, Vector[] arguments, int[] selection, int n) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Merges partial states.
   *
   * @throws PartialFormatException where its groups are made otherwise than this table's
   */
  public void merge(PartialGroups groups) {
    throw new UnsupportedOperationException("not built yet");
  }

  public void merge(GroupTable other) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The query's answer over the groups: ordered, ties by the keys ascending, cut to the limit. */
  public ResultTable finish(FlowQuery query) {
    throw new UnsupportedOperationException("not built yet");
  }
}
