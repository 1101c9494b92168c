package org.flowmon.jobs.types;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.udaf.function.ErrorBound;
import org.jspecify.annotations.Nullable;

/** An {@link ErrorBound} in bytes: kind (1 byte, 0 for none), value, probability (8 each). */
public final class ErrorBounds {
  private ErrorBounds() {}

  public static void write(@Nullable ErrorBound bound, DataOutputView target) throws IOException {
    target.writeByte(bound == null ? 0 : bound.kind().code());
    if (bound != null) {
      target.writeDouble(bound.value());
      target.writeDouble(bound.probability());
    }
  }

  public static @Nullable ErrorBound read(DataInputView source) throws IOException {
    int code = source.readUnsignedByte();
    if (code == 0) {
      return null;
    }
    ErrorBound.Kind kind = ErrorBound.Kind.byCode(code);
    double value = source.readDouble();
    double probability = source.readDouble();
    if (kind == null || !(value >= 0) || !(probability > 0 && probability <= 1)) {
      throw new IOException(
          "an error of kind " + code + ", " + value + " with probability " + probability);
    }
    return new ErrorBound(kind, value, probability);
  }
}
