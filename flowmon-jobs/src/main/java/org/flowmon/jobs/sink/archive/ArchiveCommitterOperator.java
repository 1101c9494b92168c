package org.flowmon.jobs.sink.archive;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.BackgroundCompaction;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.config.job.RetentionConfig;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.jspecify.annotations.Nullable;

/**
 * Commits what all writers sealed before a barrier, in one commit. One task. {@link ArchiveSink}
 * says why it does not wait for the checkpoint and needs no state. Metrics in group {@code
 * flowmon}: {@code commits}, {@code repeated_commits}, {@code committed_rows}, {@code
 * committed_segments}, {@code gap_offsets} (positions left out), {@code expired_rows} (hidden,
 * beyond the retention), {@code late_rows} (those beyond it when they came), {@code commit_ms},
 * {@code wait_for_room_ms}, {@code orphans_removed}. Of compaction, after commits on its own
 * thread: {@code merged_segments}, {@code merged_rows}, {@code merge_failures}, {@code
 * deleted_segments}.
 */
final class ArchiveCommitterOperator extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<ArchiveCommittable, Void>, BoundedOneInput {
  private static final long serialVersionUID = 1L;

  // An ended writer owns no files, and its segments may still be on their way here.
  private static final Duration ON_THEIR_WAY = Duration.ofMinutes(10);

  private final ArchiveLocation location;
  private final int compactRows;
  private final @Nullable RetentionConfig retention; // null: the archive's own
  private transient Archive archive;
  private transient @Nullable BackgroundCompaction compaction; // null: none
  private transient List<ArchiveCommittable> pending;
  private transient NoRoomRetry room;
  private transient Counter commits;
  private transient Counter repeatedCommits;
  private transient Counter committedRows;
  private transient Counter committedSegments;
  private transient Counter gapOffsets;
  private transient Counter expiredRows;
  private transient Counter lateRows;
  private transient Counter commitMillis;

  /** {@code compactRows}, about, of merged segments; 0: none. Null: the archive's retention. */
  ArchiveCommitterOperator(
      ArchiveLocation location, int compactRows, @Nullable RetentionConfig retention) {
    this.location = location;
    this.compactRows = compactRows;
    this.retention = retention;
  }

  @Override
  public void open() throws Exception {
    super.open();
    archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
    pending = new ArrayList<>();
    MetricGroup group = getMetricGroup().addGroup("flowmon");
    commits = group.counter("commits");
    repeatedCommits = group.counter("repeated_commits");
    committedRows = group.counter("committed_rows");
    committedSegments = group.counter("committed_segments");
    gapOffsets = group.counter("gap_offsets");
    expiredRows = group.counter("expired_rows");
    lateRows = group.counter("late_rows");
    commitMillis = group.counter("commit_ms");
    boolean expires = retention();
    int orphans = archive.sweepOrphans(ON_THEIR_WAY).files().size();
    group.gauge("orphans_removed", (Gauge<Integer>) () -> orphans);
    room = new NoRoomRetry();
    group.gauge("wait_for_room_ms", (Gauge<Long>) room::waitedMillis);
    if (compactRows > 0 || expires) {
      compaction =
          new BackgroundCompaction(
              location,
              compactRows == 0
                  ? CompactionOptions.NONE
                  : new CompactionOptions(compactRows, compactRows));
      group.gauge("merged_segments", (Gauge<Long>) compaction::replaced);
      group.gauge("merged_rows", (Gauge<Long>) compaction::rows);
      group.gauge("merge_failures", (Gauge<Long>) compaction::failures);
      group.gauge("deleted_segments", (Gauge<Long>) compaction::deleted);
      compaction.wake();
    }
  }

  /** Sets the configured limits, if any; returns whether the archive has limits now. */
  private boolean retention() throws IOException {
    if (retention != null) {
      CommitResult result =
          archive.commit(
              ArchiveCommit.ofRetention(RetentionChange.to(retention.options()), "flowmon job"));
      expiredRows.inc(result.expiredRows());
    }
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.retention().isLimited();
    }
  }

  @Override
  public void processElement(StreamRecord<ArchiveCommittable> element) {
    pending.add(element.getValue());
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    commit();
  }

  @Override
  public void endInput() throws Exception {
    commit();
  }

  private void commit() throws IOException, InterruptedException {
    if (pending.isEmpty()) {
      return;
    }
    // The same commit in whatever order the writers' messages came.
    pending.sort(Comparator.comparingInt(ArchiveCommittable::subtask));
    List<SealedSegment> segments = new ArrayList<>();
    List<SourceRange> ranges = new ArrayList<>();
    for (ArchiveCommittable committable : pending) {
      segments.addAll(committable.segments());
      ranges.addAll(committable.ranges());
    }
    pending.clear();
    long begun = System.nanoTime();
    CommitResult result;
    try {
      ArchiveCommit commit = ArchiveCommit.ofRanges(segments, ranges, "flowmon job");
      result = room.run(() -> archive.commit(commit));
    } catch (CommitRefusedException e) {
      throw refused(e);
    }
    commitMillis.inc((System.nanoTime() - begun) / 1_000_000);
    if (result.isRepeat()) {
      repeatedCommits.inc();
      return;
    }
    commits.inc();
    committedSegments.inc(segments.size());
    committedRows.inc(segments.stream().mapToLong(SealedSegment::rows).sum());
    gapOffsets.inc(result.gapOffsets());
    expiredRows.inc(result.expiredRows());
    lateRows.inc(result.lateRows());
    if (compaction != null) {
      compaction.wake();
    }
  }

  private IOException refused(CommitRefusedException e) {
    String advice =
        e.reason() == CommitRefusedException.Reason.OVERLAP
            ? "; another job commits the same topic to this archive (or an attempt of this one had"
                + " not ended yet). Nothing was changed; after a restart this job skips what the"
                + " archive holds. Let one job only archive a topic"
            : "; nothing was changed";
    return new IOException("archive " + location + ": " + e.getMessage() + advice, e);
  }

  @Override
  public void close() throws Exception {
    if (compaction != null) {
      compaction.close();
    }
    if (archive != null) {
      archive.close();
    }
    super.close();
  }
}
