package org.flowmon.archive.query.group;

import java.io.IOException;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;

/** Makes the groups of one query of the rows that several threads collect. */
public interface Grouper {
  /** A collector for one more thread. */
  RowCollector collector();

  /**
   * The answer, once all collectors have ended.
   *
   * @param threads that share the work
   */
  GroupAnswer.WithBounds answer(int threads, Deadline deadline) throws IOException;

  /**
   * Counts the groups in place of an answer, once all collectors have ended.
   *
   * @param grouping the place of the query among those whose groups are counted
   * @param into the groups of the query that counts
   * @param threads that share the work
   */
  void count(DistinctCounts counts, int grouping, GroupTable into, int threads, Deadline deadline)
      throws IOException;
}
