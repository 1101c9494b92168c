package org.flowmon.jobs.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;

/**
 * Of which rows an exact answer is, so that a later snapshot tells whether the query would give the
 * same: what was imported is in segments of its own, and what was compacted is the same rows in
 * others. Not thread-safe.
 */
final class AskedSegments {
  private final List<LongRanges> times; // of any of which a row is asked about; null: all
  private final UUID archive;
  private final long expired;
  private final long commit;
  private final Set<String> files = new HashSet<>();
  // The commit that brought the newest of their rows.
  private long newestRows = -1;
  // At as-of of these, and between, the answer is the same.
  private long firstAsOf;
  private long lastAsOf;

  /**
   * What a query was answered of.
   *
   * @param query without parameters
   * @param asOf what arrived later was not seen
   */
  AskedSegments(Query query, ArchiveSnapshot snapshot, long asOf) {
    this.times = times(query);
    this.archive = snapshot.archive();
    this.expired = snapshot.expiredRows();
    this.commit = snapshot.number();
    this.firstAsOf = asOf;
    this.lastAsOf = asOf;
    for (SealedSegment segment : snapshot.segments()) {
      if (isAskedAbout(segment) && segment.arrival().min() <= asOf) {
        files.add(segment.fileName());
        newestRows = Math.max(newestRows, snapshot.newestRows(segment));
      }
    }
  }

  private static List<LongRanges> times(Query query) {
    List<LongRanges> all = new ArrayList<>();
    for (FlowQuery flows : query.overFlows()) {
      LongRanges ends = Constraints.of(flows.where()).longs(FlowColumn.END_TIME);
      if (ends == null) {
        return null;
      }
      all.add(ends);
    }
    return all;
  }

  private boolean isAskedAbout(SealedSegment segment) {
    TimeRange ends = segment.endTime();
    return times == null
        || times.stream().anyMatch(some -> some.intersects(ends.min(), ends.max()));
  }

  /**
   * Whether the query over a snapshot would give the same: the archive has the same rows, as far as
   * it is about them, in whichever segments, and none of them arrived between what was seen then
   * and what is to be seen now. Where it does, the answer is of this as-of from now on, too.
   */
  boolean hold(ArchiveSnapshot snapshot, long asOf) {
    if (!archive.equals(snapshot.archive()) || expired != snapshot.expiredRows()) {
      return false;
    }
    long after = Math.min(firstAsOf, asOf);
    long by = Math.max(lastAsOf, asOf);
    int same = 0;
    for (SealedSegment segment : snapshot.segments()) {
      TimeRange arrival = segment.arrival();
      if (arrival.min() > by || !isAskedAbout(segment)) {
        continue;
      }
      boolean isSame = files.contains(segment.fileName());
      boolean isOfSeenRows = isSame || snapshot.newestRows(segment) <= commit;
      if (!isOfSeenRows || (after < by && arrival.max() > after)) {
        return false;
      }
      same += isSame ? 1 : 0;
    }
    // A row that was seen is in all snapshots from its commit on.
    if (same < files.size() && newestRows > snapshot.number()) {
      return false;
    }
    firstAsOf = after;
    lastAsOf = by;
    return true;
  }
}
