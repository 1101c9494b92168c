package org.flowmon.bench.live;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of batches that are made before they are sent: making flows takes more of a core than
 * sending them, and is not measured. Each is {@code partition i32 | largest arrival i64 | length
 * i32 | bytes}.
 */
final class FlowStage {
  private static final int BUFFER = 1 << 20;

  private final Path file;
  private final DataOutputStream out;
  private long batches;

  /** Takes a batch. */
  interface Batches {
    void accept(int partition, long maxArrival, byte[] value);
  }

  /** Creates an empty stage, in a file that does not exist yet. */
  FlowStage(Path file) throws IOException {
    this.file = file;
    this.out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER));
  }

  void add(int partition, long maxArrival, byte[] value) {
    try {
      out.writeInt(partition);
      out.writeLong(maxArrival);
      out.writeInt(value.length);
      out.write(value);
      batches++;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Passes on all batches in order, and deletes the file. */
  void read(Batches to) {
    try {
      out.close();
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER))) {
        for (long i = 0; i < batches; i++) {
          int partition = in.readInt();
          long arrival = in.readLong();
          byte[] value = new byte[in.readInt()];
          in.readFully(value);
          to.accept(partition, arrival, value);
        }
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
