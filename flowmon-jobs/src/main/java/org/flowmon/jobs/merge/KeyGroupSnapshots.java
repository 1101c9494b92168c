package org.flowmon.jobs.merge;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.KeyContext;

/**
 * A merging task's key groups in checkpoints: one backend value each, only during the task's part
 * of a checkpoint. A backend that writes later keeps the values itself.
 */
final class KeyGroupSnapshots {
  private final KeyContext context;
  private final KeyGroupRange range;
  private final Integer[] keys; // a key of each key group
  private final ValueState<KeyGroupSnapshot> state;
  private boolean isThere;

  /** Takes the bytes of key groups. */
  interface Reader {
    void read(int keyGroup, InputStream bytes) throws IOException;
  }

  /** {@code range} is the task's, the others the operator's. */
  KeyGroupSnapshots(
      KeyContext context,
      StateInitializationContext initialization,
      KeyGroupRange range,
      int maxParallelism)
      throws Exception {
    this.context = context;
    this.range = range;
    this.keys = KeyGroupKeys.keys(maxParallelism);
    this.state =
        initialization
            .getKeyedStateStore()
            .getState(
                new ValueStateDescriptor<>("open-windows", new KeyGroupSnapshot.Serializer()));
  }

  void restore(StateInitializationContext initialization, Reader reader) throws Exception {
    for (KeyGroupStatePartitionStreamProvider raw : initialization.getRawKeyedStateInputs()) {
      reader.read(raw.getKeyGroupId(), raw.getStream());
    }
    for (int keyGroup : range) {
      context.setCurrentKey(keys[keyGroup]);
      KeyGroupSnapshot snapshot = state.value();
      if (snapshot != null) {
        reader.read(keyGroup, new ByteArrayInputStream(snapshot.bytes()));
        state.clear();
      }
    }
  }

  void update(IntFunction<KeyGroupSnapshot> snapshots) throws IOException {
    isThere = true;
    for (int keyGroup : range) {
      context.setCurrentKey(keys[keyGroup]);
      state.update(snapshots.apply(keyGroup));
    }
  }

  /** Clears the backend after a checkpoint: snapshots take as much memory as the groups. */
  void forget() {
    if (!isThere) {
      return;
    }
    isThere = false;
    for (int keyGroup : range) {
      context.setCurrentKey(keys[keyGroup]);
      state.clear();
    }
  }
}
