package org.flowmon.jobs.sql.function;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.udaf.catalogue.ExportedState;

/**
 * Writes the length of the exported state ({@code docs/format/states.md}), 0 without rows; then the
 * parameter and the state.
 */
public final class SketchSerializer extends TypeSerializerSingleton<Sketch> {
  private static final long serialVersionUID = 1L;

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public Sketch createInstance() {
    return new Sketch();
  }

  @Override
  public Sketch copy(Sketch from) {
    Sketch copy = new Sketch();
    copy.merge(from);
    return copy;
  }

  @Override
  public Sketch copy(Sketch from, Sketch reuse) {
    return copy(from);
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(Sketch sketch, DataOutputView target) throws IOException {
    if (sketch.isEmpty()) {
      target.writeInt(0);
      return;
    }
    byte[] state = ExportedState.of(sketch.function(), sketch.state()).toBytes();
    target.writeInt(state.length);
    target.writeDouble(sketch.parameter());
    target.write(state);
  }

  @Override
  public Sketch deserialize(DataInputView source) throws IOException {
    Sketch sketch = new Sketch();
    byte[] state = new byte[source.readInt()];
    if (state.length > 0) {
      double parameter = source.readDouble();
      source.readFully(state);
      sketch.merge(ExportedState.read(state), parameter);
    }
    return sketch;
  }

  @Override
  public Sketch deserialize(Sketch reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    int length = source.readInt();
    target.writeInt(length);
    if (length > 0) {
      target.write(source, Double.BYTES + length);
    }
  }

  @Override
  public TypeSerializerSnapshot<Sketch> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Of the only version. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Sketch> {
    public Snapshot() {
      super(SketchSerializer::new);
    }
  }
}
