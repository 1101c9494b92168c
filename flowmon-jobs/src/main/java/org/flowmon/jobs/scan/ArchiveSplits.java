package org.flowmon.jobs.scan;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The splits that no reader has yet: the enumerator's state. */
public record ArchiveSplits(List<ArchiveSplit> waiting) {
  public ArchiveSplits {
    waiting = List.copyOf(waiting);
  }

  /** Version 1: the number of splits; of each the length, and the bytes of version 1. */
  static final class Serializer implements SimpleVersionedSerializer<ArchiveSplits> {
    private static final int VERSION = 1;

    private final ArchiveSplit.Serializer one = new ArchiveSplit.Serializer();

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(ArchiveSplits splits) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(splits.waiting().size());
      for (ArchiveSplit split : splits.waiting()) {
        byte[] of = one.serialize(split);
        out.writeInt(of.length);
        out.write(of);
      }
      return bytes.toByteArray();
    }

    @Override
    public ArchiveSplits deserialize(int version, byte[] bytes) throws IOException {
      if (version != VERSION) {
        throw new IOException(
            "splits of an archive of version " + version + ", expected version " + VERSION);
      }
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
      List<ArchiveSplit> splits = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        splits.add(one.deserialize(VERSION, in.readNBytes(in.readInt())));
      }
      return new ArchiveSplits(splits);
    }
  }
}
