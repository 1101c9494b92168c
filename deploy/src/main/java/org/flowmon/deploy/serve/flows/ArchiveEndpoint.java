package org.flowmon.deploy.serve.flows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.deploy.archive.Coverage;
import org.flowmon.deploy.archive.GapText;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.time.FlowTime;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/archive}: what the archives hold, by their manifests. */
public final class ArchiveEndpoint implements Endpoint {
  private final ServedArchives archives;

  public ArchiveEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    exchange.fields().only();
    List<Object> all = new ArrayList<>();
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      for (ArchiveSnapshot one : snapshot.all()) {
        all.add(facts(one));
      }
    }
    exchange.json(200, Map.of("archives", all));
  }

  private static Map<String, @Nullable Object> facts(ArchiveSnapshot snapshot) throws IOException {
    List<SealedSegment> segments = snapshot.segments();
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("archive", snapshot.location().toString());
    facts.put("commit", snapshot.number());
    facts.put("flows", snapshot.rows());
    facts.put("segments", segments.size());
    facts.put("segment_bytes", segments.stream().mapToLong(s -> s.segmentFile().length()).sum());
    facts.put("sidecar_bytes", segments.stream().mapToLong(s -> s.indexFile().length()).sum());
    facts.put("directory_bytes", snapshot.directoryBytes());
    facts.put("day_sum_bytes", snapshot.daySumBytes());
    long bytes = snapshot.bytesOnDisk() + snapshot.directoryBytes() + snapshot.daySumBytes();
    facts.put(
        "bytes_per_flow",
        snapshot.storedRows() == 0 ? null : (Double) (bytes / (double) snapshot.storedRows()));
    range(facts, "end_time", segments, SealedSegment::endTime);
    range(facts, "arrival", segments, SealedSegment::arrival);
    facts.put(
        "complete_through",
        snapshot.committedEnds().isEmpty() ? null : FlowTime.textOrNull(snapshot.historyThrough()));
    facts.put("expired_flows", snapshot.expiredRows());
    facts.put("expired_before", FlowTime.textOrNull(snapshot.cutoff()));
    List<Object> holds = new ArrayList<>();
    Coverage.of(snapshot)
        .stretches()
        .forEach(
            range ->
                holds.add(
                    Map.of(
                        "from", FlowTime.text(range.min()),
                        "through", FlowTime.text(range.max()))));
    facts.put("holds", holds);
    facts.put("gaps", GapText.lines(snapshot));
    return facts;
  }

  private static void range(
      Map<String, @Nullable Object> facts,
      String name,
      List<SealedSegment> segments,
      Function<SealedSegment, TimeRange> which) {
    TimeRange all = segments.stream().map(which).reduce(TimeRange.NONE, TimeRange::union);
    facts.put("first_" + name, all.isEmpty() ? null : FlowTime.textOrNull(all.min()));
    facts.put("last_" + name, all.isEmpty() ? null : FlowTime.textOrNull(all.max()));
  }
}
