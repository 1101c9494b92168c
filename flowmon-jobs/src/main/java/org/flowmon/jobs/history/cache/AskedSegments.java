package org.flowmon.jobs.history.cache;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;

/**
 * The rows behind an exact answer, to tell whether a later snapshot gives the same: imported rows
 * are in new segments, compacted ones the same in others. Thread-safe.
 */
public final class AskedSegments {
  private final Optional<List<LongRanges>> times; // of the rows asked for; empty: all
  private final List<Asked> archives;

  /** {@code query} has no parameters; arrivals after {@code asOf} were not seen. */
  public AskedSegments(Query query, ArchivesSnapshot snapshot, long asOf) {
    this.times = times(query);
    this.archives = snapshot.all().stream().map(one -> new Asked(one, asOf)).toList();
  }

  private static Optional<List<LongRanges>> times(Query query) {
    List<LongRanges> all = new ArrayList<>();
    for (FlowQuery flows : query.overFlows()) {
      LongRanges ends = Constraints.of(flows.where()).longs(FlowColumn.END_TIME);
      if (ends == null) {
        return Optional.empty();
      }
      all.add(ends);
    }
    return Optional.of(all);
  }

  private boolean isAskedAbout(SealedSegment segment) {
    TimeRange ends = segment.endTime();
    return times.isEmpty()
        || times.get().stream().anyMatch(some -> some.intersects(ends.min(), ends.max()));
  }

  /**
   * Whether a snapshot gives the same answer: it has the same rows within the query's range, in
   * whichever segments, and none arrived between the former and new as-of. If so, it holds for this
   * as-of from now on.
   */
  public synchronized boolean hold(ArchivesSnapshot snapshot, long asOf) {
    boolean holds = snapshot.all().size() == archives.size();
    for (int i = 0; holds && i < archives.size(); i++) {
      holds = archives.get(i).hold(snapshot.all().get(i), asOf);
    }
    return holds;
  }

  /** Those of one archive. */
  private final class Asked {
    private final UUID archive;
    private final long expired;
    private final long commit;
    private final Set<String> files = new HashSet<>();
    // The commit that brought the newest of these rows.
    private long newestRows = -1;
    // From this as-of to lastAsOf the answer is the same.
    private long firstAsOf;
    private long lastAsOf;

    Asked(ArchiveSnapshot snapshot, long asOf) {
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
}
