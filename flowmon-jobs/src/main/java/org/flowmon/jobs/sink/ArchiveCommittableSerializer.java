package org.flowmon.jobs.sink;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes committables. Version 2: subtask, number of segments (4 bytes each), per segment a
 * length and {@link SealedSegment#toBytes}; number of ranges (4), per range source key (modified
 * UTF-8), first offset, end offset, first and largest arrival (8 each), whether it ended (1).
 */
public final class ArchiveCommittableSerializer extends RecordSerializer<ArchiveCommittable> {
  private static final long serialVersionUID = 1L;
  private static final int MAX_SEGMENT_BYTES = 1 << 16;
  private static final int MAX_ITEMS = 1 << 20;

  public ArchiveCommittableSerializer() {
    super(2, Snapshot.class);
  }

  @Override
  protected void write(ArchiveCommittable record, DataOutputView target) throws IOException {
    target.writeInt(record.subtask());
    target.writeInt(record.segments().size());
    for (SealedSegment segment : record.segments()) {
      writeBytes(segment.toBytes(), target);
    }
    target.writeInt(record.ranges().size());
    for (SourceRange range : record.ranges()) {
      target.writeUTF(range.sourceKey());
      target.writeLong(range.firstOffset());
      target.writeLong(range.endOffset());
      target.writeLong(range.firstArrival());
      target.writeLong(range.maxArrival());
      target.writeBoolean(range.ended());
    }
  }

  @Override
  protected ArchiveCommittable read(int found, DataInputView source) throws IOException {
    if (found != 2) {
      throw new IOException("archive committable of version " + found + ", this reads version 2");
    }
    int subtask = source.readInt();
    List<SealedSegment> segments = new ArrayList<>();
    List<SourceRange> ranges = new ArrayList<>();
    try {
      for (int n = count(source, "segments"); n > 0; n--) {
        segments.add(SealedSegment.fromBytes(readBytes(source, MAX_SEGMENT_BYTES)));
      }
      for (int n = count(source, "ranges"); n > 0; n--) {
        ranges.add(
            new SourceRange(
                source.readUTF(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readBoolean()));
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("archive committable: " + e.getMessage(), e);
    }
    return new ArchiveCommittable(subtask, segments, ranges);
  }

  private static int count(DataInputView source, String what) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > MAX_ITEMS) {
      throw new IOException(
          "archive committable of " + count + " " + what + ", expected 0…" + MAX_ITEMS);
    }
    return count;
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ArchiveCommittable> {
    public Snapshot() {
      super(ArchiveCommittableSerializer::new);
    }
  }
}
