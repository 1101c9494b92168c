package org.flowmon.archive.query.group;

import java.io.IOException;
import java.util.function.Consumer;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;

/** Makes the groups of one query of the rows that several threads collect. */
public interface Grouper {
  RowCollector collector();

  /** The answer, made by {@code threads} once all collectors have ended. */
  GroupAnswer.WithBounds answer(int threads, Deadline deadline) throws IOException;

  /**
   * Hands out the groups in place of an answer, once all collectors have ended: tables, of which
   * several may have a group; each is used again once {@code to} has had it.
   */
  void groups(Consumer<GroupTable> to, Deadline deadline) throws IOException;

  /**
   * Counts the groups in place of an answer, once all collectors have ended; {@code grouping} is
   * the place of the query among those counted, {@code into} has the groups of the one that counts.
   */
  void count(DistinctCounts counts, int grouping, GroupTable into, int threads, Deadline deadline)
      throws IOException;
}
