package org.flowmon.jobs.sql.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.parser.QueryParser;
import org.jspecify.annotations.Nullable;

/**
 * Gives a split to each reader that asks. Leaves out segments without a matching row by their times
 * and the host directory. Its snapshot keeps the segments' files until all readers are done; after
 * a restart it is a newer one, which keeps those that have not been merged since.
 */
public final class ArchiveEnumerator implements SplitEnumerator<ArchiveSplit, ArchiveSplits> {
  // Of a split. With fewer, queries start too often; with more, readers wait for the last one.
  private static final long LEAST_ROWS = 1 << 18;
  private static final long MOST_ROWS = 1 << 21;
  private static final int SPLITS_OF_READER = 4;

  private final ArchiveScan scan;
  private final SplitEnumeratorContext<ArchiveSplit> context;
  private final Optional<ArchiveSplits> restored;
  private final Deque<ArchiveSplit> waiting = new ArrayDeque<>();
  private @Nullable Archive archive;
  private @Nullable ArchiveSnapshot snapshot;

  /** {@code restored}: the splits of a checkpoint, empty to begin anew. */
  ArchiveEnumerator(
      ArchiveScan scan,
      SplitEnumeratorContext<ArchiveSplit> context,
      Optional<ArchiveSplits> restored) {
    this.scan = scan;
    this.context = context;
    this.restored = restored;
  }

  @Override
  public void start() {
    try {
      Archive opened = Archive.open(scan.archive(), ArchiveOptions.DEFAULTS);
      archive = opened;
      ArchiveSnapshot newest = opened.snapshot();
      snapshot = newest;
      waiting.addAll(
          restored.isPresent()
              ? restored.get().waiting()
              : splits(chosen(newest), context.currentParallelism()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<VisibleSegment> chosen(ArchiveSnapshot newest) throws IOException {
    Constraints constraints = Constraints.of(QueryParser.parse(scan.query()).where());
    List<VisibleSegment> chosen = new ArrayList<>();
    for (SealedSegment segment : SegmentChoice.of(newest, constraints).segments()) {
      chosen.add(newest.visible(segment));
    }
    return chosen;
  }

  /** Packs segments, in their order, into splits of about the same number of rows. */
  public static List<ArchiveSplit> splits(List<VisibleSegment> segments, int readers) {
    long all = segments.stream().mapToLong(VisibleSegment::rows).sum();
    long wanted =
        Math.max(LEAST_ROWS, Math.min(MOST_ROWS, all / ((long) readers * SPLITS_OF_READER)));
    List<ArchiveSplit> splits = new ArrayList<>();
    List<VisibleSegment> open = new ArrayList<>();
    long rows = 0;
    for (VisibleSegment segment : segments) {
      if (!open.isEmpty() && rows + segment.rows() > wanted) {
        splits.add(new ArchiveSplit(open));
        open.clear();
        rows = 0;
      }
      open.add(segment);
      rows += segment.rows();
    }
    if (!open.isEmpty()) {
      splits.add(new ArchiveSplit(open));
    }
    return splits;
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    ArchiveSplit next = waiting.poll();
    if (next == null) {
      context.signalNoMoreSplits(subtask);
    } else {
      context.assignSplit(next, subtask);
    }
  }

  @Override
  public void addSplitsBack(List<ArchiveSplit> splits, int subtask) {
    waiting.addAll(splits);
  }

  @Override
  public void addReader(int subtask) {}

  @Override
  public ArchiveSplits snapshotState(long checkpoint) {
    return new ArchiveSplits(List.copyOf(waiting));
  }

  @Override
  public void close() throws IOException {
    try {
      IOUtils.closeAll(snapshot, archive);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
