package org.flowmon.jobs.sink.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.source.PositionedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals pieces. If a batch cannot be sealed, all others are: it halves the piece until the batch is
 * alone, and quarantines it. Values are checked when a batch is opened, so this is for unforeseen
 * errors. If sealing one plain row fails, too, or files cannot be written, no batch is to blame and
 * nothing is quarantined.
 */
final class PieceSealer {
  private static final Logger LOG = LoggerFactory.getLogger(PieceSealer.class);
  private static final String WHERE = "archive-writer";

  private final Sealing sealing;

  /** Makes segments. */
  interface Sealing {
    SealedSegment seal(List<FlowBatch> batches) throws IOException;

    void discard(SealedSegment segment) throws IOException;
  }

  /** {@code segments}: one; more if some batch, in {@code refused}, could not be sealed. */
  record Piece(List<SealedSegment> segments, List<Quarantined> refused, long nanos) {}

  PieceSealer(Sealing sealing) {
    this.sealing = sealing;
  }

  /** Seals batches, one or more; IOException: no file can be written; other: none can be sealed. */
  Piece seal(List<PositionedBatch> batches) throws IOException {
    long begun = System.nanoTime();
    List<SealedSegment> segments = new ArrayList<>();
    List<Quarantined> refused = new ArrayList<>();
    seal(batches, segments, refused);
    return new Piece(segments, refused, System.nanoTime() - begun);
  }

  private void seal(
      List<PositionedBatch> batches, List<SealedSegment> segments, List<Quarantined> refused)
      throws IOException {
    try {
      segments.add(sealing.seal(batches.stream().map(PositionedBatch::batch).toList()));
    } catch (RuntimeException e) {
      if (isOfFiles(e)) {
        throw e;
      }
      if (batches.size() > 1) {
        int half = batches.size() / 2;
        seal(batches.subList(0, half), segments, refused);
        seal(batches.subList(half, batches.size()), segments, refused);
        return;
      }
      Quarantined batch = quarantined(batches.get(0), e);
      if (refused.isEmpty()) {
        checkSealing(e);
        // The topic tells of the others of a piece.
        LOG.error(
            "batch {}: it cannot be sealed and is left out; its {} flows are lost",
            batch.position(),
            batch.flows(),
            e);
      }
      refused.add(batch);
    }
  }

  private static boolean isOfFiles(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof IOException) {
        return true;
      }
    }
    return false;
  }

  private void checkSealing(RuntimeException failure) throws IOException {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 0);
    builder.endRow();
    SealedSegment plain;
    try {
      plain = sealing.seal(List.of(FlowBatch.open(builder.build(0, 0, 1, 0))));
    } catch (RuntimeException e) {
      if (e != failure) { // the JVM may give one exception for many
        failure.addSuppressed(e);
      }
      throw failure;
    }
    sealing.discard(plain);
  }

  private static Quarantined quarantined(PositionedBatch record, RuntimeException why) {
    return Quarantined.of(
        record.sourceKey(),
        record.offset(),
        WHERE,
        "cannot be sealed: " + why,
        record.batch().bytes());
  }
}
