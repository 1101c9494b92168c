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
 * The key groups of a task of the merge in its checkpoints: a value of the state backend for each,
 * there only while this makes its part of one. What a backend writes later it holds itself.
 */
final class KeyGroupSnapshots {
  private final KeyContext context;
  private final KeyGroupRange range;
  private final Integer[] keys; // by key group, one that is in it
  private final ValueState<KeyGroupSnapshot> state;
  private boolean isThere;

  /** Takes the bytes of key groups. */
  interface Reader {
    void read(int keyGroup, InputStream bytes) throws IOException;
  }

  /**
   * Those of an operator that is being initialised.
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

  /** Reads what the operator is restored from; raw keyed state is of versions before. */
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

  /** Gives the state backend what each key group has now, for the checkpoint that it makes next. */
  void update(IntFunction<KeyGroupSnapshot> snapshots) throws IOException {
    isThere = true;
    for (int keyGroup : range) {
      context.setCurrentKey(keys[keyGroup]);
      state.update(snapshots.apply(keyGroup));
    }
  }

  /**
   * Lets go of what the state backend was given, once the task's part of the checkpoint is over: it
   * would take as much memory as the groups until there is more.
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
