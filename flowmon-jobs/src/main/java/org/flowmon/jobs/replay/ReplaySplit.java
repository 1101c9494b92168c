package org.flowmon.jobs.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The rest of a replay, from the first slice not read yet, in microseconds. */
record ReplaySplit(long next) implements SourceSplit {
  @Override
  public String splitId() {
    return "replay";
  }

  /** Version 1: the time, 8 bytes, big-endian. */
  static final class Serializer implements SimpleVersionedSerializer<ReplaySplit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(ReplaySplit split) {
      return ByteBuffer.allocate(Long.BYTES).putLong(split.next()).array();
    }

    @Override
    public ReplaySplit deserialize(int version, byte[] bytes) throws IOException {
      if (version != VERSION || bytes.length != Long.BYTES) {
        throw new IOException(
            "a place in a replay of version %s with %s bytes, expected version %s with %s"
                .formatted(version, bytes.length, VERSION, Long.BYTES));
      }
      return new ReplaySplit(ByteBuffer.wrap(bytes).getLong());
    }
  }
}
