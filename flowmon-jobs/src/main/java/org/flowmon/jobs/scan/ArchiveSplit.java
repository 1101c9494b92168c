package org.flowmon.jobs.scan;

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
  // Of a split. With fewer, queries start too often; with more, readers wait for the last one.
  private static final long LEAST_ROWS = 1 << 18;
  private static final long MOST_ROWS = 1 << 21;
  private static final int SPLITS_OF_READER = 4;

  public ArchiveSplit {
    segments = List.copyOf(segments);
  }

  /** The id of the first segment, which is in no other split. */
  @Override
  public String splitId() {
    return segments.get(0).segment().id();
  }

  /** Packs segments, in their order, into splits of about the same number of rows. */
  public static List<ArchiveSplit> pack(List<VisibleSegment> segments, int readers) {
    return pack(segments, readers, LEAST_ROWS);
  }

  /** Packs segments into splits of at least so many rows, unless there are fewer. */
  public static List<ArchiveSplit> pack(
      List<VisibleSegment> segments, int readers, long leastRows) {
    long all = segments.stream().mapToLong(VisibleSegment::rows).sum();
    long wanted =
        Math.max(leastRows, Math.min(MOST_ROWS, all / ((long) readers * SPLITS_OF_READER)));
    List<ArchiveSplit> splits = new ArrayList<>();
    List<VisibleSegment> open = new ArrayList<>();
    long rows = 0;
    for (VisibleSegment segment : segments) {
      if (!open.isEmpty() && rows + segment.rows() > wanted) {
        splits.add(new ArchiveSplit(open));
        open.clear();
        rows = 0;
      }
      open.add(segment);
      rows += segment.rows();
    }
    if (!open.isEmpty()) {
      splits.add(new ArchiveSplit(open));
    }
    return splits;
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
