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
import org.jspecify.annotations.Nullable;

/**
 * Answers split after split, on the task's thread. It neither ends nor fails while a split that it
 * asked for is on its way: of a split that finds its task gone Flink makes a failure of its own,
 * which hides the reason, or begins the ended task again.
 */
final class ArchiveReader<T> implements SourceReader<T, ArchiveSplit> {
  private final SplitQuery<T> query;
  private final SourceReaderContext context;
  private final Deque<ArchiveSplit> splits = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private Archive archive;
  private SplitQuery.Answers<T> answers;
  private int asked; // splits that have not come
  private boolean noMore;
  private @Nullable Exception failure;

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
    ask();
  }

  private void ask() {
    asked++;
    context.sendSplitRequest();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
    boolean isOver = failure != null || answers.isComplete();
    ArchiveSplit split = isOver ? null : splits.poll();
    if (split != null) {
      ask(); // the next one is here when this one is done
      answer(split, output);
      return InputStatus.MORE_AVAILABLE;
    }
    if (asked > 0 || !(isOver || noMore)) {
      return await();
    }
    if (failure != null) {
      throw failure;
    }
    return InputStatus.END_OF_INPUT;
  }

  private void answer(ArchiveSplit split, ReaderOutput<T> output) {
    try (ArchiveSnapshot part = archive.snapshotOf(split.segments())) {
      answers.answer(part, output);
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
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
    come();
  }

  @Override
  public void notifyNoMoreSplits() {
    noMore = true;
    come();
  }

  private void come() {
    asked = Math.max(0, asked - 1); // those of a checkpoint come before the first is asked for
    available.complete(null);
  }

  @Override
  public List<ArchiveSplit> snapshotState(long checkpoint) {
    if (failure != null) {
      throw new IllegalStateException(failure); // a part of its split has gone out
    }
    return List.copyOf(splits);
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(archive);
  }
}
