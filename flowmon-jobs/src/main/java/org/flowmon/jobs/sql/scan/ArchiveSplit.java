package org.flowmon.jobs.sql.scan;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.VisibleSegment;

/** Segments, at least one, that a reader answers for at once. */
public record ArchiveSplit(List<VisibleSegment> segments) implements SourceSplit {
  public ArchiveSplit {
    segments = List.copyOf(segments);
  }

  /** The id of the first segment, which is in no other split. */
  @Override
  public String splitId() {
    return segments.get(0).segment().id();
  }

  /**
   * Version 1: the number of segments; of each the first row, the length of its facts, and these as
   * {@link SealedSegment#toBytes} writes them. Numbers have 4 bytes, big-endian.
   */
  static final class Serializer implements SimpleVersionedSerializer<ArchiveSplit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(ArchiveSplit split) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(split.segments().size());
      for (VisibleSegment segment : split.segments()) {
        byte[] facts = segment.segment().toBytes();
        out.writeInt(segment.firstRow());
        out.writeInt(facts.length);
        out.write(facts);
      }
      return bytes.toByteArray();
    }

    @Override
    public ArchiveSplit deserialize(int version, byte[] bytes) throws IOException {
      if (version != VERSION) {
        throw new IOException(
            "a split of an archive of version " + version + ", expected version " + VERSION);
      }
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
      List<VisibleSegment> segments = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        int firstRow = in.readInt();
        byte[] facts = in.readNBytes(in.readInt());
        segments.add(new VisibleSegment(SealedSegment.fromBytes(facts), firstRow));
      }
      return new ArchiveSplit(segments);
    }
  }
}
