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
 * The key groups of a merging task in its checkpoints: one value of the state backend for each,
 * present only during the task's part of a checkpoint. A backend that writes later keeps the values
 * itself.
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

  /**
   * Creates the snapshots of an operator that is being initialised.
   *
   * @param context of the operator
   * @param range of the task
   * @param maxParallelism of the operator
   */
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

  /** Reads the restored state; raw keyed state is of older versions. */
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

  /** Gives the state backend the present snapshot of each key group, for its next checkpoint. */
  void update(IntFunction<KeyGroupSnapshot> snapshots) throws IOException {
    isThere = true;
    for (int keyGroup : range) {
      context.setCurrentKey(keys[keyGroup]);
      state.update(snapshots.apply(keyGroup));
    }
  }

  /**
   * Clears the state backend after the task's part of the checkpoint: the snapshots would take as
   * much memory as the groups until the next one.
   */
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
