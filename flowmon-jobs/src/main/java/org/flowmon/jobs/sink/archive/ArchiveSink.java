package org.flowmon.jobs.sink.archive;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.runtime.partitioner.GlobalPartitioner;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.config.job.RetentionConfig;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.source.PositionedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Archives every flow exactly once.
 *
 * <pre>
 *   source ─► archive-writer ─┐   segments sealed, then the barrier
 *   source ─► archive-writer ─┼─► archive-committer    one commit per barrier
 *   source ─► archive-writer ─┘   (one task)
 * </pre>
 *
 * <p>The identity of a flow is its position: source key (topic id and partition) and offset. The
 * archive's manifest lists its positions, and changes in the same atomic step as the segments. A
 * writer reads them when it opens, and skips a position that is there. So the sink is idempotent by
 * itself. The usual second phase (hold sealed segments in a checkpoint's state, commit when the
 * checkpoint is complete, commit again after a restore) would only add states that may go wrong.
 * <em>Segments sealed before a barrier are committed at the barrier, and the sink has no state at
 * all</em>.
 *
 * <ul>
 *   <li>A failure before the commit: nothing of it is in the archive; the source goes back to the
 *       last checkpoint, and the positions are sealed again. The files left behind are orphans: no
 *       commit names them and no writer owns them. They are deleted when the job begins again.
 *   <li>A failure after the commit, whether or not the checkpoint became complete: the source goes
 *       back, the positions come again and are skipped.
 *   <li>A restore from any older checkpoint or savepoint, by this or another job, at any
 *       parallelism, or a start without state from the earliest offset: the same. A savepoint holds
 *       no committable that a later timeline could contradict.
 *   <li>End of input: the writers seal and the committer commits the rest; no final checkpoint is
 *       needed, nor checkpoints at all.
 *   <li>A lost task manager that still runs may commit after its successor has read the positions.
 *       Then the successor's commit overlaps, is refused and fails the job, which restarts, reads
 *       the positions again and skips. Two jobs that archive the same topic also fail each other.
 *   <li>A full disk: unused files are deleted, and writes are retried for five minutes, while flows
 *       wait in Kafka ({@link NoRoomRetry}). Then the job fails and begins again.
 *   <li>Positions left out before (a start from the latest offset) are gaps in the manifest; if a
 *       source brings them later, they are archived.
 * </ul>
 *
 * <p>This relies on a log that gives the same batch at the same offset for good, as Kafka's does,
 * and on the order of barrier and committables: the edge to the committer keeps out of unaligned
 * checkpoints.
 */
public final class ArchiveSink {
  private ArchiveSink() {}

  /**
   * Adds the writers, chained to the source if the parallelism is the same. The archive is created
   * if missing; null {@code segments}: sealed by its own settings, else by these from now on.
   */
  public static SingleOutputStreamOperator<ArchiveCommittable> seal(
      DataStream<PositionedBatch> batches, ArchiveLocation location, @Nullable String segments) {
    return seal(batches, location, ArchiveWriterOperator.PIECE_ROWS, segments);
  }

  static SingleOutputStreamOperator<ArchiveCommittable> seal(
      DataStream<PositionedBatch> batches,
      ArchiveLocation location,
      int pieceRows,
      @Nullable String segments) {
    return batches
        .transform(
            "archive-writer",
            ArchiveCommittable.TYPE,
            new ArchiveWriterOperator(location, pieceRows, 1, segments))
        .setParallelism(batches.getParallelism());
  }

  /**
   * Adds the committer, one task. {@code compactRows}: of a merged segment, about; 0: no merging.
   * {@code retention} holds from now on; null: the archive's own.
   */
  public static SingleOutputStreamOperator<Void> commit(
      DataStream<ArchiveCommittable> sealed,
      ArchiveLocation location,
      int compactRows,
      @Nullable RetentionConfig retention) {
    GlobalPartitioner<ArchiveCommittable> partitioner = new GlobalPartitioner<>();
    partitioner.disableUnalignedCheckpoints();
    return new DataStream<>(
            sealed.getExecutionEnvironment(),
            new PartitionTransformation<>(sealed.getTransformation(), partitioner))
        .transform(
            "archive-committer",
            Types.VOID,
            new ArchiveCommitterOperator(location, compactRows, retention))
        .setParallelism(1)
        .setMaxParallelism(1);
  }
}
