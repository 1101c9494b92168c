package org.flowmon.jobs.scan;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/** Gives a split to each reader that asks, until there are none. */
class GivenSplits implements SplitEnumerator<ArchiveSplit, ArchiveSplits> {
  private final SplitEnumeratorContext<ArchiveSplit> context;
  private final Deque<ArchiveSplit> waiting;

  GivenSplits(SplitEnumeratorContext<ArchiveSplit> context, ArchiveSplits splits) {
    this.context = context;
    this.waiting = new ArrayDeque<>(splits.waiting());
  }

  static GivenSplits of(SplitEnumeratorContext<ArchiveSplit> context, byte[] splits)
      throws IOException {
    ArchiveSplits.Serializer serializer = new ArchiveSplits.Serializer();
    return new GivenSplits(context, serializer.deserialize(serializer.getVersion(), splits));
  }

  @Override
  public void start() {}

  void add(List<ArchiveSplit> splits) {
    waiting.addAll(splits);
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    ArchiveSplit next = waiting.poll();
    if (next == null) {
      context.signalNoMoreSplits(subtask);
    } else {
      context.assignSplit(next, subtask);
    }
  }

  @Override
  public void addSplitsBack(List<ArchiveSplit> splits, int subtask) {
    waiting.addAll(splits);
  }

  @Override
  public void addReader(int subtask) {}

  @Override
  public ArchiveSplits snapshotState(long checkpoint) {
    return new ArchiveSplits(List.copyOf(waiting));
  }

  @Override
  public void close() throws IOException {}
}
