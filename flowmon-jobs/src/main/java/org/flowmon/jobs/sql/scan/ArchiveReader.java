package org.flowmon.jobs.sql.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.jobs.sql.row.RowVectors;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/**
 * Answers split after split, on the task's thread. A split's query has the heap of queries, divided
 * by the number of readers: they may all be in one process.
 */
final class ArchiveReader implements SourceReader<RowData, ArchiveSplit> {
  private final ArchiveScan scan;
  private final SourceReaderContext context;
  private final QueryOptions options;
  private final RowVectors rows;
  private final Deque<ArchiveSplit> splits = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private Archive archive;
  private Query query;
  private boolean noMore;
  private long given;

  ArchiveReader(ArchiveScan scan, SourceReaderContext context) {
    this.scan = scan;
    this.context = context;
    this.rows = new RowVectors(scan.fields());
    this.options =
        QueryOptions.DEFAULTS.withGroupMemory(
            QueryOptions.DEFAULTS.groupMemory() / Math.max(1, context.currentParallelism()));
  }

  @Override
  public void start() {
    try {
      archive = Archive.open(scan.archive(), ArchiveOptions.DEFAULTS);
      query = QueryParser.parseQuery(scan.query()); // knows the archive's columns by now
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    context.sendSplitRequest();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
    if (scan.limit() >= 0 && given >= scan.limit()) {
      return InputStatus.END_OF_INPUT;
    }
    ArchiveSplit split = splits.poll();
    if (split == null) {
      return noMore ? InputStatus.END_OF_INPUT : await();
    }
    context.sendSplitRequest(); // the next one is here when this one is done
    try (ArchiveSnapshot part = archive.snapshotOf(split.segments())) {
      given +=
          ArchiveQuery.stream(
                  List.of(part), query, options, some -> rows.emit(some, output::collect))
              .rows();
    }
    return InputStatus.MORE_AVAILABLE;
  }

  private InputStatus await() {
    if (available.isDone()) {
      available = new CompletableFuture<>();
    }
    return InputStatus.NOTHING_AVAILABLE;
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return available;
  }

  @Override
  public void addSplits(List<ArchiveSplit> some) {
    splits.addAll(some);
    available.complete(null);
  }

  @Override
  public void notifyNoMoreSplits() {
    noMore = true;
    available.complete(null);
  }

  @Override
  public List<ArchiveSplit> snapshotState(long checkpoint) {
    return List.copyOf(splits);
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(archive);
  }
}
