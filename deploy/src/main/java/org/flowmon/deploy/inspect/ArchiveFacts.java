package org.flowmon.deploy.inspect;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.time.FlowTime;

/** Facts from the manifest of an archive. No segment is opened. */
public final class ArchiveFacts {
  private ArchiveFacts() {}

  public static Facts of(ArchiveSnapshot snapshot) throws IOException {
    List<SealedSegment> segments = snapshot.segments();
    Facts facts = new Facts();
    facts.value("kind", "archive");
    facts.value("archive", snapshot.location());
    facts.value("commit", snapshot.number());
    facts.value("flows", snapshot.rows());
    facts.value("stored_flows", snapshot.storedRows());
    facts.value("segments", (long) segments.size());
    facts.value("segment_bytes", segments.stream().mapToLong(s -> s.segmentFile().length()).sum());
    facts.value("sidecar_bytes", segments.stream().mapToLong(s -> s.indexFile().length()).sum());
    facts.value("directory_bytes", snapshot.directoryBytes());
    facts.value("day_sum_bytes", snapshot.daySumBytes());
    long bytes = snapshot.bytesOnDisk() + snapshot.directoryBytes() + snapshot.daySumBytes();
    facts.value(
        "bytes_per_flow",
        snapshot.storedRows() == 0 ? null : (Double) (bytes / (double) snapshot.storedRows()));
    range(facts, "start_time", segments, SealedSegment::startTime);
    range(facts, "end_time", segments, SealedSegment::endTime);
    range(facts, "arrival", segments, SealedSegment::arrival);
    facts.value("history_through", FlowTime.textOrNull(snapshot.historyThrough()));
    facts.value("gaps", (long) snapshot.gaps().size());
    Facts.Table sources = facts.table("sources", "source", "first", "end");
    snapshot
        .committedEnds()
        .forEach((key, end) -> sources.row(key, snapshot.committedFirst(key), end));
    Facts.Table gaps = facts.table("missing", "gap");
    snapshot.gaps().forEach(gap -> gaps.row(gap.toString()));
    Facts.Table table =
        facts.table(
            "segment_list",
            "segment",
            "flows",
            "hidden",
            "first_end",
            "last_end",
            "segment_bytes",
            "sidecar_bytes",
            "crc32c");
    for (SealedSegment segment : segments) {
      table.row(
          segment.id(),
          (long) segment.rows(),
          (long) snapshot.firstRow(segment),
          segment.endTime().isEmpty() ? null : FlowTime.textOrNull(segment.endTime().min()),
          segment.endTime().isEmpty() ? null : FlowTime.textOrNull(segment.endTime().max()),
          segment.segmentFile().length(),
          segment.indexFile().length(),
          String.format("%08x", segment.segmentFile().crc32c()));
    }
    return facts;
  }

  private static void range(
      Facts facts,
      String name,
      List<SealedSegment> segments,
      Function<SealedSegment, TimeRange> which) {
    TimeRange all = segments.stream().map(which).reduce(TimeRange.NONE, TimeRange::union);
    facts.value("first_" + name, all.isEmpty() ? null : FlowTime.textOrNull(all.min()));
    facts.value("last_" + name, all.isEmpty() ? null : FlowTime.textOrNull(all.max()));
  }
}
