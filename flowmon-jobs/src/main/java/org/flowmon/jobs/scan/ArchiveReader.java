package org.flowmon.jobs.scan;

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
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;

/** Answers split after split, on the task's thread. */
final class ArchiveReader<T> implements SourceReader<T, ArchiveSplit> {
  private final SplitQuery<T> query;
  private final SourceReaderContext context;
  private final Deque<ArchiveSplit> splits = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private Archive archive;
  private SplitQuery.Answers<T> answers;
  private boolean noMore;

  ArchiveReader(SplitQuery<T> query, SourceReaderContext context) {
    this.query = query;
    this.context = context;
  }

  @Override
  public void start() {
    try {
      archive = Archive.open(query.archive(), ArchiveOptions.DEFAULTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    answers = query.answers(context.currentParallelism());
    context.sendSplitRequest();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<T> output) throws IOException {
    if (answers.isComplete()) {
      return InputStatus.END_OF_INPUT;
    }
    ArchiveSplit split = splits.poll();
    if (split == null) {
      return noMore ? InputStatus.END_OF_INPUT : await();
    }
    context.sendSplitRequest(); // the next one is here when this one is done
    try (ArchiveSnapshot part = archive.snapshotOf(split.segments())) {
      answers.answer(part, output);
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
