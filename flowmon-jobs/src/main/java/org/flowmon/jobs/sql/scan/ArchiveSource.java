package org.flowmon.jobs.sql.scan;

import java.util.Optional;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/**
 * The answers of an archive's splits to one query, as rows of Flink SQL. Bounded: the archive as of
 * the job's start. Each split goes out whole between two barriers.
 */
public final class ArchiveSource implements Source<RowData, ArchiveSplit, ArchiveSplits> {
  private static final long serialVersionUID = 1L;

  private final ArchiveScan scan;

  public ArchiveSource(ArchiveScan scan) {
    this.scan = scan;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SplitEnumerator<ArchiveSplit, ArchiveSplits> createEnumerator(
      SplitEnumeratorContext<ArchiveSplit> context) {
    return new ArchiveEnumerator(scan, context, Optional.empty());
  }

  @Override
  public SplitEnumerator<ArchiveSplit, ArchiveSplits> restoreEnumerator(
      SplitEnumeratorContext<ArchiveSplit> context, ArchiveSplits left) {
    return new ArchiveEnumerator(scan, context, Optional.of(left));
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
  public SourceReader<RowData, ArchiveSplit> createReader(SourceReaderContext context) {
    return new ArchiveReader(scan, context);
  }
}
