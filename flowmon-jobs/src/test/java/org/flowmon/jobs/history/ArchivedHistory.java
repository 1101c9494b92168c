package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.history.cache.AnswerMemory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.io.TempDir;

/** A real archive, and an analysis that looks up history in it. */
abstract class ArchivedHistory {
  static final Duration DELAY = Duration.ofSeconds(20);
  static final FlowTopic TOPIC = new FlowTopic("flows", "t", 1);
  static final long AS_OF = END - 20 * SECOND;
  static final String A = "192.0.2.1";
  static final String B = "2001:db8::1";

  @TempDir Path directory;
  long offset;
  private int imported;
  Duration disorder = Duration.ZERO;

  record Flow(String source, long end, long arrival, long bytes) {}

  Archives opened() throws IOException {
    return Archives.open(List.of(ArchiveLocation.of(directory)));
  }

  /** Commits flows: afterwards everything up to {@code through} is there. */
  List<SealedSegment> archive(long through, Flow... flows) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      List<SealedSegment> segments = new ArrayList<>();
      if (flows.length > 0) {
        segments.add(
            new SegmentWriter()
                .seal(archive.segmentsDirectory(), List.of(batch(flows)), Provenance.NONE));
      }
      long first = Stream.of(flows).mapToLong(Flow::arrival).min().orElse(through);
      archive.commit(
          ArchiveCommit.ofRanges(
              segments,
              List.of(new SourceRange("t:0", offset, ++offset, first, through, false)),
              "test"));
      return segments;
    }
  }

  /** Commits flows as those of an imported file. */
  void importFile(Flow... flows) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          new SegmentWriter()
              .seal(archive.segmentsDirectory(), List.of(batch(flows)), Provenance.NONE);
      ImportedFile file = new ImportedFile(String.format("%064x", ++imported), "f", 10);
      archive.commit(ArchiveCommit.ofFile(List.of(segment), file, false, "import"));
    }
  }

  static FlowBatch batch(Flow... flows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(flows.length);
    for (Flow flow : flows) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, flow.arrival());
      builder.set(FlowColumn.END_TIME, flow.end());
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(flow.source()));
      builder.set(FlowColumn.BYTES, flow.bytes());
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, flows.length, 0));
  }

  static Flow flow(String source, int day, long bytes) {
    long time = END - day * DAY + 60 * SECOND;
    return new Flow(source, time, time + SECOND, bytes);
  }

  static AnalysisConfig elephants(String name, String timeout) {
    AnalysisConfig config = TestReports.elephants("");
    AnalysisConfig.History history = config.history();
    return new AnalysisConfig(
        name,
        config.live(),
        new AnalysisConfig.History(
            history.query(),
            null,
            null,
            history.concurrency(),
            Duration.ofMillis(Long.parseLong(timeout)),
            history.rows()),
        config.report(),
        config.sinks(),
        List.of(),
        Places.NONE);
  }

  /** Returns a window of ten seconds with the result of another. */
  static WindowResult ending(long end, WindowResult of) {
    return new WindowResult(
        of.analysis(), end - 10 * SECOND, end, of.rows(), of.totals(), of.groups(), of.counts());
  }

  /** Returns an empty cache of its own. */
  static Optional<RecentAnswers> cache() {
    return Optional.of(new RecentAnswers(new AnswerMemory(LookupPool.groupMemory())));
  }

  static LookupPool pool(int threads) {
    return new LookupPool(threads, LookupPool.groupMemory());
  }

  /** Returns a query's answer over the committed flows. */
  static HistoryAnswer runOver(
      Archives archive, HistoryQuery query, WindowResult window, Duration limit) throws Exception {
    try (ArchivesSnapshot snapshot = archive.snapshot()) {
      return query.run(snapshot, window, limit);
    }
  }

  /** Returns the cached answer that holds for the committed flows. */
  static HistoryAnswer known(Archives archive, HistoryQuery query, long windowEnd)
      throws Exception {
    try (ArchivesSnapshot snapshot = archive.snapshot()) {
      return query.cached(snapshot, windowEnd).orElse(null);
    }
  }

  /** Returns rows as {@code address day → bytes}. */
  static Map<String, Long> bytes(ResultTable rows) {
    Map<String, Long> bytes = new TreeMap<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      bytes.put(
          rows.address(row, rows.column("src_addr"))
              + " "
              + rows.longValue(row, rows.column("day")),
          rows.longValue(row, rows.column("bytes")));
    }
    return bytes;
  }

  void commit(SourceRange... ranges) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      archive.commit(ArchiveCommit.ofRanges(List.of(), List.of(ranges), "test"));
    }
  }
}
