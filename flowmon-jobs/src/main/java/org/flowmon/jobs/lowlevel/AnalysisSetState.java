package org.flowmon.jobs.lowlevel;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The analyses that an operator runs, in its checkpoints. Each of its tasks holds all of them, so a
 * restore with more or fewer tasks has them in each again. By name (big-endian):
 *
 * <pre>
 *   version u8 = 1 | runs bool | query id i64 | has changed bool | (change as in PartialSerializer)
 * </pre>
 *
 * <p>There is always an entry without a name, which has no meaning.
 */
public final class AnalysisSetState {
  private static final Logger LOG = LoggerFactory.getLogger(AnalysisSetState.class);
  private static final int VERSION = 1;
  private static final String NO_NAME = "";

  private final BroadcastState<String, byte[]> state;

  public AnalysisSetState(OperatorStateStore store) throws Exception {
    state =
        store.getBroadcastState(
            new MapStateDescriptor<>(
                "analyses", StringSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE));
  }

  /**
   * Applies the changes; returns the then running queries' ids by analysis's name, empty without
   * this state.
   */
  public Optional<Map<String, Long>> restore(AnalysisSet set) throws Exception {
    Map<String, Long> ids = new HashMap<>();
    boolean any = false;
    for (Map.Entry<String, byte[]> entry : state.immutableEntries()) {
      any = true;
      DataInputDeserializer in = new DataInputDeserializer(entry.getValue());
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException(
            "state of analysis "
                + entry.getKey()
                + ": found version "
                + version
                + ", this reads version "
                + VERSION);
      }
      boolean runs = in.readBoolean();
      long id = in.readLong();
      if (runs) {
        ids.put(entry.getKey(), id);
      }
      if (in.readBoolean()) {
        apply(set, PartialSerializer.readChange(in));
      }
    }
    return any ? Optional.of(ids) : Optional.empty();
  }

  private static void apply(AnalysisSet set, AnalysisChange change) {
    try {
      set.apply(change);
    } catch (ConfigException e) {
      // It was valid when it came; the rules have changed since.
      LOG.error("analysis {} of the state does not run: {}", change.name(), e.getMessage());
    }
  }

  public void update(AnalysisSet set, Map<String, Long> ids) throws Exception {
    state.clear();
    state.put(NO_NAME, bytes(null, null)); // tells an empty set from a state of before this layout
    for (AnalysisChange change : set.changes()) {
      state.put(change.name(), bytes(ids.get(change.name()), change));
    }
    for (Map.Entry<String, Long> id : ids.entrySet()) {
      if (set.change(id.getKey()) == null) {
        state.put(id.getKey(), bytes(id.getValue(), null));
      }
    }
  }

  private static byte[] bytes(@Nullable Long id, @Nullable AnalysisChange change)
      throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(256);
    out.writeByte(VERSION);
    out.writeBoolean(id != null);
    out.writeLong(id == null ? 0 : id);
    out.writeBoolean(change != null);
    if (change != null) {
      PartialSerializer.write(change, out);
    }
    return out.getCopyOfBuffer();
  }
}
