package org.flowmon.jobs.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
final class ArchiveEnumerator extends GivenSplits {
  private final SplitQuery<?> scan;
  private final SplitEnumeratorContext<ArchiveSplit> context;
  private final Optional<ArchiveSplits> restored;
  private @Nullable Archive archive;
  private @Nullable ArchiveSnapshot snapshot;

  /** {@code restored}: the splits of a checkpoint, empty to begin anew. */
  ArchiveEnumerator(
      SplitQuery<?> scan,
      SplitEnumeratorContext<ArchiveSplit> context,
      Optional<ArchiveSplits> restored) {
    super(context, new ArchiveSplits(List.of()));
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
      add(
          restored.isPresent()
              ? restored.get().waiting()
              : ArchiveSplit.pack(chosen(newest), context.currentParallelism()));
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
