package org.flowmon.jobs.alert;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;

/** The alerts of an analysis in a checkpoint, as bytes of {@link AnalysisAlerts}; read-only. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record AlertState(String analysis, byte[] bytes) {
  /** Version 1: analysis (modified UTF-8), the bytes (4 bytes of length before them). */
  public static final class Serializer extends RecordSerializer<AlertState> {
    private static final long serialVersionUID = 1L;
    private static final int MAX_BYTES = 1 << 30;

    public Serializer() {
      super(1, Snapshot.class);
    }

    @Override
    protected void write(AlertState state, DataOutputView target) throws IOException {
      target.writeUTF(state.analysis());
      writeBytes(state.bytes(), target);
    }

    @Override
    protected AlertState read(int found, DataInputView source) throws IOException {
      return new AlertState(source.readUTF(), readBytes(source, MAX_BYTES));
    }
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<AlertState> {
    public Snapshot() {
      super(Serializer::new);
    }
  }
}
