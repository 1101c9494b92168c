package org.flowmon.jobs.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The answers of an archive's splits to one query. Bounded: the archive as of the job's start, or
 * the splits given. Each split goes out whole between two barriers.
 *
 * @param <T> what a reader makes of a split
 */
public final class ArchiveSource<T> implements Source<T, ArchiveSplit, ArchiveSplits> {
  private static final long serialVersionUID = 1L;

  private final SplitQuery<T> query;
  private final byte[] given; // splits; empty: chosen when the job starts

  /** Reads the archive as it is when the job starts, which keeps its files until the end. */
  public ArchiveSource(SplitQuery<T> query) {
    this.query = query;
    this.given = new byte[0];
  }

  /** Reads these splits of a snapshot that the caller keeps until the job has ended. */
  public ArchiveSource(SplitQuery<T> query, List<ArchiveSplit> splits) {
    this.query = query;
    try {
      this.given = new ArchiveSplits.Serializer().serialize(new ArchiveSplits(splits));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SplitEnumerator<ArchiveSplit, ArchiveSplits> createEnumerator(
      SplitEnumeratorContext<ArchiveSplit> context) throws IOException {
    return given.length == 0
        ? new ArchiveEnumerator(query, context, Optional.empty())
        : GivenSplits.of(context, given);
  }

  @Override
  public SplitEnumerator<ArchiveSplit, ArchiveSplits> restoreEnumerator(
      SplitEnumeratorContext<ArchiveSplit> context, ArchiveSplits left) {
    return given.length == 0
        ? new ArchiveEnumerator(query, context, Optional.of(left))
        : new GivenSplits(context, left);
  }

  @Override
  public SimpleVersionedSerializer<ArchiveSplit> getSplitSerializer() {
    return new ArchiveSplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<ArchiveSplits> getEnumeratorCheckpointSerializer() {
    return new ArchiveSplits.Serializer();
  }

  @Override
  public SourceReader<T, ArchiveSplit> createReader(SourceReaderContext context) {
    return new ArchiveReader<>(query, context);
  }
}
