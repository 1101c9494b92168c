package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/** Gives the one split to the first reader that asks. Its state: whether it was given. */
final class ReplayEnumerator implements SplitEnumerator<ReplaySplit, Boolean> {
  private final SplitEnumeratorContext<ReplaySplit> context;
  private Optional<ReplaySplit> split;

  /** {@code split}: empty if a reader has it. */
  ReplayEnumerator(SplitEnumeratorContext<ReplaySplit> context, Optional<ReplaySplit> split) {
    this.context = context;
    this.split = split;
  }

  @Override
  public void start() {}

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    split.ifPresent(one -> context.assignSplit(one, subtask));
    split = Optional.empty();
    context.signalNoMoreSplits(subtask);
  }

  @Override
  public void addSplitsBack(List<ReplaySplit> splits, int subtask) {
    for (ReplaySplit back : splits) {
      split = Optional.of(back);
    }
  }

  @Override
  public void addReader(int subtask) {}

  @Override
  public Boolean snapshotState(long checkpoint) {
    return split.isEmpty();
  }

  @Override
  public void close() {}

  /** Version 1: one byte, 1 if the split was given. */
  static final class Serializer implements SimpleVersionedSerializer<Boolean> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(Boolean assigned) {
      return new byte[] {(byte) (assigned ? 1 : 0)};
    }

    @Override
    public Boolean deserialize(int version, byte[] bytes) throws IOException {
      if (version != VERSION || bytes.length != 1 || bytes[0] < 0 || bytes[0] > 1) {
        throw new IOException(
            "state of a replay of version " + version + " with " + bytes.length + " bytes");
      }
      return bytes[0] == 1;
    }
  }
}
