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
 * archive's manifest says which positions it holds, and changes in the same atomic step as the
 * segments. When a writer opens it asks for them, and skips a position that is there. So the sink
 * is idempotent by itself, and the usual second phase (hold what was sealed in a checkpoint's
 * state, commit when the checkpoint is complete, commit again after a restore) would add nothing
 * but states to go wrong: <em>what was sealed before a barrier is committed at the barrier, and the
 * sink has no state at all</em>.
 *
 * <ul>
 *   <li>A failure before the commit: nothing of it is in the archive; the source goes back to the
 *       last checkpoint, and the positions are sealed again. The files left behind are orphans,
 *       which no commit names and nobody owns, and are deleted when the job begins again.
 *   <li>A failure after the commit, whether or not the checkpoint became complete: the source goes
 *       back, the positions come again and are skipped.
 *   <li>A restore from any older checkpoint or savepoint, by this or another job, at any
 *       parallelism, or a start without state from the earliest offset: the same. A savepoint holds
 *       no committable that a later timeline could contradict.
 *   <li>End of input: the writers seal and the committer commits what is left; no final checkpoint
 *       is needed, nor checkpoints at all.
 *   <li>A task manager that was given up but still runs may commit after its successor has asked:
 *       then the successor's commit overlaps, is refused and fails the job, which restarts, asks
 *       again and skips. Two jobs that archive the same topic fail each other likewise, loudly.
 *   <li>A full disk: what nobody needs is deleted, and for five minutes it is tried again, while
 *       flows wait in Kafka ({@link NoRoomRetry}). Then the job fails and begins again.
 *   <li>Positions left out before (a start from the latest offset) are gaps in the manifest; where
 *       a source brings them later, they are archived.
 * </ul>
 *
 * <p>This rests on a log that gives the same batch at the same offset for good, which Kafka's does,
 * and on the order of barrier and committables: the edge to the committer keeps out of unaligned
 * checkpoints.
 */
public final class ArchiveSink {
  private ArchiveSink() {}

  /**
   * The writers, chained to the source where the parallelism is the same.
   *
   * @param location the archive, made where there is none
   * @param segments how segments are sealed from now on; null: as the archive is set
   */
  public static SingleOutputStreamOperator<ArchiveCommittable> seal(
      DataStream<PositionedBatch> batches, ArchiveLocation location, String segments) {
    return seal(batches, location, ArchiveWriterOperator.PIECE_ROWS, segments);
  }

  /** As above, with smaller pieces for tests. */
  static SingleOutputStreamOperator<ArchiveCommittable> seal(
      DataStream<PositionedBatch> batches,
      ArchiveLocation location,
      int pieceRows,
      String segments) {
    return batches
        .transform(
            "archive-writer",
            ArchiveCommittable.TYPE,
            new ArchiveWriterOperator(location, pieceRows, 1, segments))
        .setParallelism(batches.getParallelism());
  }

  /**
   * The committer: one task.
   *
   * @param compactRows rows of a segment that small ones are merged into, about; 0: not merged here
   * @param retention how much of the past is kept from now on; null: as the archive says
   */
  public static SingleOutputStreamOperator<Void> commit(
      DataStream<ArchiveCommittable> sealed,
      ArchiveLocation location,
      int compactRows,
      RetentionConfig retention) {
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
