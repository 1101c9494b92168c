package org.flowmon.jobs.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.pane.WindowSpec;
import org.jspecify.annotations.Nullable;

/**
 * Reads the archives by slices, each whole between two barriers and followed by the watermark that
 * closes its windows. Lateness depends on the flow alone, so order within a slice does not matter.
 * Metrics: {@link ReplayProgress}.
 */
final class ReplayReader implements SourceReader<PositionedBatch, ReplaySplit> {
  private static final String KEY = "archive:0";

  private final ReplaySpec spec;
  private final WindowSpec window;
  private final SourceReaderContext context;
  private final ReplayProgress progress;
  private final CompletableFuture<Void> available = new CompletableFuture<>();
  private final ArchivedBatches batches;
  private Archives archives;
  private ArchivesSnapshot snapshot;
  private boolean hasSplit;
  private boolean noMore;
  private long position;
  private @Nullable ReplaySlices slices; // null before the first slice
  private long number;

  ReplayReader(ReplaySpec spec, SourceReaderContext context) {
    this.spec = spec;
    this.window = spec.window(); // parses the query
    this.context = context;
    this.batches = new ArchivedBatches(spec.columns());
    this.progress = new ReplayProgress(spec, context.metricGroup().addGroup("flowmon"));
  }

  @Override
  public void start() {
    try {
      archives = Archives.open(spec.archives());
      snapshot = archives.snapshot();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    context.sendSplitRequest();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<PositionedBatch> output) throws IOException {
    if (!hasSplit) {
      return noMore ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }
    if (position >= spec.readTo()) {
      return InputStatus.END_OF_INPUT;
    }
    if (slices == null) {
      slices = ReplaySlices.of(spec, snapshot.all(), position);
    }
    position =
        slices.next(
            (rows, from, count) -> {
              progress.flows(count);
              FlowBatch batch = batches.batch(rows, from, count);
              output.collect(new PositionedBatch(KEY, number++, batch, 0));
            });
    progress.through(position);
    output.emitWatermark(new Watermark(watermark()));
    return InputStatus.MORE_AVAILABLE;
  }

  /**
   * The first watermark that closes the windows ending at the position or, if slides are shorter
   * than its millisecond, the last that closes no later ones.
   */
  private long watermark() {
    long closes = spec.completeThrough(position);
    long next = closes + window.slideMicros();
    return Math.min(Math.floorDiv(closes, 1000), Math.floorDiv(next, 1000) - 1);
  }

  @Override
  public List<ReplaySplit> snapshotState(long checkpoint) {
    return hasSplit ? List.of(new ReplaySplit(position)) : List.of();
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return available;
  }

  @Override
  public void addSplits(List<ReplaySplit> splits) {
    position = splits.get(0).next();
    hasSplit = true;
    available.complete(null);
  }

  @Override
  public void notifyNoMoreSplits() {
    noMore = true;
    available.complete(null);
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(slices, snapshot, archives);
  }
}
