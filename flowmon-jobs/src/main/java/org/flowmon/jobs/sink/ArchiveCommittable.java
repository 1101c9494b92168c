package org.flowmon.jobs.sink;

import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.jobs.types.RecordType;

/**
 * What one writer ({@code subtask}) sealed between two barriers: files in the archive, not
 * committed yet, and their positions; heartbeats have positions and no rows.
 */
@TypeInfo(RecordType.Factory.class)
public record ArchiveCommittable(
    int subtask, List<SealedSegment> segments, List<SourceRange> ranges) {
  public static final TypeInformation<ArchiveCommittable> TYPE =
      new RecordType<>(ArchiveCommittable.class, new ArchiveCommittableSerializer());

  public ArchiveCommittable {
    segments = List.copyOf(segments);
    ranges = List.copyOf(ranges);
  }
}
