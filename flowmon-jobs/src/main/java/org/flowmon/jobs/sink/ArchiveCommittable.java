package org.flowmon.jobs.sink;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.jobs.types.RecordType;

/**
 * The segments that one writer sealed between two barriers.
 *
 * @param subtask of the writer
 * @param segments whose files lie in the archive, not committed yet
 * @param ranges the positions that the segments hold; heartbeats have positions, and no rows
 */
@TypeInfo(ArchiveCommittable.Factory.class)
public record ArchiveCommittable(
    int subtask, List<SealedSegment> segments, List<SourceRange> ranges) {
  public static final TypeInformation<ArchiveCommittable> TYPE =
      new RecordType<>(ArchiveCommittable.class, new ArchiveCommittableSerializer());

  public ArchiveCommittable {
    segments = List.copyOf(segments);
    ranges = List.copyOf(ranges);
  }

  /** Flink's type information. */
  public static final class Factory extends TypeInfoFactory<ArchiveCommittable> {
    @Override
    public TypeInformation<ArchiveCommittable> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
