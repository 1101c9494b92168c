package org.flowmon.jobs.sink.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
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
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.source.PositionedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Seals flow batches into segments, in the source's chain. Batches are kept by reference; a
 * background thread seals each {@link #PIECE_ROWS} rows. At a barrier the rest is sealed, and the
 * barrier waits. {@link ArchiveSink} says why this needs no state. Metrics in group {@code
 * flowmon}: {@code sealed_rows}, {@code sealed_segments}, {@code sealed_bytes} (of both files),
 * {@code seal_ms} (all threads), {@code wait_for_sealer_ms}, {@code wait_for_room_ms}, {@code
 * wait_at_barrier_ms}, {@code last_wait_at_barrier_ms}, {@code archived_before_batches}, {@code
 * archived_before_rows} (skipped), {@code missing_offsets} (never came), {@code quarantined},
 * {@code quarantined_flows} (not sealable: {@link PieceSealer}).
 */
final class ArchiveWriterOperator extends AbstractStreamOperator<ArchiveCommittable>
    implements OneInputStreamOperator<PositionedBatch, ArchiveCommittable>, BoundedOneInput {
  /** Rows of a segment, except the last two before a barrier. */
  static final int PIECE_ROWS = 250_000;

  private static final long serialVersionUID = 1L;
  // Long texts must not make a piece large in memory.
  private static final long PIECE_BYTES = 64L << 20;

  private final ArchiveLocation location;
  private final int pieceRows;
  private final int sealers;
  private final @Nullable String segments;

  // Defines them where it is deserialized: see FlowColumn.
  @SuppressWarnings("unused")
  private final List<FlowColumn> ownColumns = FlowColumn.defined();

  private transient Archive archive;
  private transient ArchivedPositions archived;
  private transient SealingPool pool;
  private transient Map<String, SourcePositions> positions;
  private transient List<PositionedBatch> piece;
  private transient int rows;
  private transient long bytes;
  private transient long lastWaitMillis;
  private transient NextBarrier nextBarrier;

  private transient Counter sealedRows;
  private transient Counter sealedSegments;
  private transient Counter sealedBytes;
  private transient Counter sealMillis;
  private transient Counter waitForSealerMillis;
  private transient Counter waitAtBarrierMillis;
  private transient Counter quarantined;
  private transient Counter quarantinedFlows;
  private transient Counter archivedBeforeBatches;
  private transient Counter archivedBeforeRows;
  private transient Counter missingOffsets;

  ArchiveWriterOperator(
      ArchiveLocation location, int pieceRows, int sealers, @Nullable String segments) {
    this.segments = segments;
    this.location = location;
    this.pieceRows = pieceRows;
    this.sealers = sealers;
  }

  @Override
  public void open() throws Exception {
    super.open();
    openMetrics();
    archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
    if (segments != null) {
      archive.setSegmentOptions(SegmentOptions.parse(segments)); // so that merges keep to it, too
    }
    // Other attempts' commits. Its own this one knows: no position comes twice in it, so one look
    // is enough.
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      archived = new ArchivedPositions(snapshot);
    }
    SealingPool sealing = new SealingPool(archive, Provenance.of("source", "flowmon job"), sealers);
    pool = sealing;
    getMetricGroup()
        .addGroup("flowmon")
        .gauge("wait_for_room_ms", (Gauge<Long>) sealing::waitedForRoomMillis);
    positions = new LinkedHashMap<>();
    piece = new ArrayList<>();
    nextBarrier = new NextBarrier();
  }

  private void openMetrics() {
    MetricGroup group = getMetricGroup().addGroup("flowmon");
    sealedRows = group.counter("sealed_rows");
    sealedSegments = group.counter("sealed_segments");
    sealedBytes = group.counter("sealed_bytes");
    sealMillis = group.counter("seal_ms");
    waitForSealerMillis = group.counter("wait_for_sealer_ms");
    waitAtBarrierMillis = group.counter("wait_at_barrier_ms");
    group.gauge("last_wait_at_barrier_ms", (Gauge<Long>) () -> lastWaitMillis);
    quarantined = group.counter("quarantined");
    quarantinedFlows = group.counter("quarantined_flows");
    archivedBeforeBatches = group.counter("archived_before_batches");
    archivedBeforeRows = group.counter("archived_before_rows");
    missingOffsets = group.counter("missing_offsets");
  }

  @Override
  public void processElement(StreamRecord<PositionedBatch> element) throws Exception {
    PositionedBatch record = element.getValue();
    FlowBatch batch = record.batch();
    SourcePositions source = positions.get(record.sourceKey());
    if (source == null) {
      source = new SourcePositions(record.sourceKey(), archived.of(record.sourceKey()));
      positions.put(record.sourceKey(), source);
    }
    if (!source.take(record)) {
      archivedBeforeBatches.inc();
      archivedBeforeRows.inc(batch.rows());
      return;
    }
    if (batch.rows() == 0) {
      return;
    }
    piece.add(record);
    rows += batch.rows();
    bytes += batch.bytes().length;
    // Flows wait at the barrier for the rest: small if most is sealed before.
    if (rows >= pieceRows || bytes >= PIECE_BYTES || nextBarrier.isNear(System.nanoTime())) {
      sealPiece();
    }
  }

  private void sealPiece() throws IOException, InterruptedException {
    if (piece.isEmpty()) {
      return;
    }
    List<PositionedBatch> full = piece;
    piece = new ArrayList<>(full.size());
    rows = 0;
    bytes = 0;
    long begun = System.nanoTime();
    try {
      pool.submit(full);
    } catch (ExecutionException e) {
      throw notSealed(e);
    }
    waitForSealerMillis.inc((System.nanoTime() - begun) / 1_000_000);
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    nextBarrier.came(System.nanoTime());
    emit();
  }

  @Override
  public void endInput() throws Exception {
    emit();
  }

  private void emit() throws IOException, InterruptedException {
    sealPiece();
    long begun = System.nanoTime();
    List<SealedSegment> segments = new ArrayList<>();
    try {
      for (PieceSealer.Piece sealed : pool.drain()) {
        sealed.segments().forEach(this::count);
        segments.addAll(sealed.segments());
        sealMillis.inc(sealed.nanos() / 1_000_000);
        sealed.refused().forEach(this::quarantine);
      }
    } catch (ExecutionException e) {
      throw notSealed(e);
    }
    lastWaitMillis = (System.nanoTime() - begun) / 1_000_000;
    waitAtBarrierMillis.inc(lastWaitMillis);
    List<SourceRange> ranges = new ArrayList<>();
    for (SourcePositions source : positions.values()) {
      ranges.addAll(source.drain());
      missingOffsets.inc(source.drainMissing());
    }
    if (!ranges.isEmpty()) {
      int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
      output.collect(new StreamRecord<>(new ArchiveCommittable(subtask, segments, ranges)));
    }
  }

  private void count(SealedSegment segment) {
    sealedRows.inc(segment.rows());
    sealedSegments.inc();
    sealedBytes.inc(segment.bytesOnDisk());
  }

  private void quarantine(Quarantined refused) {
    quarantined.inc();
    quarantinedFlows.inc(refused.flows());
    output.collect(Quarantined.TAG, new StreamRecord<>(refused));
  }

  private IOException notSealed(ExecutionException e) throws IOException {
    return new IOException(
        "a segment could not be sealed in " + archive.segmentsDirectory() + ": " + e.getCause(),
        e.getCause());
  }

  @Override
  public void close() throws Exception {
    if (pool != null) {
      pool.close();
    }
    if (archive != null) {
      archive.close();
    }
    super.close();
  }
}
