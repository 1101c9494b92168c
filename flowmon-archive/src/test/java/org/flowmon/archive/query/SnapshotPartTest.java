package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotPartTest {
  private static final FlowQuery COUNTS =
      QueryParser.parse("SELECT COUNT(*), SUM(bytes), MIN(arrival) FROM flows");

  private static String answer(ArchiveSnapshot snapshot, FlowQuery query) throws IOException {
    return ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table().toString();
  }

  /** Counts of hosts, by way of the host directory. */
  private static List<String> ofHosts(ArchiveSnapshot snapshot, List<String> hosts)
      throws IOException {
    List<String> counts = new ArrayList<>();
    for (String host : hosts) {
      String sql = "SELECT COUNT(*), SUM(bytes) FROM flows WHERE src_addr = '" + host + "'";
      counts.add(answer(snapshot, QueryParser.parse(sql)));
    }
    return counts;
  }

  @Test
  void partsHaveTheRowsOfTheirSnapshotAfterExpirationAndMerges(@TempDir Path folder)
      throws IOException {
    Traffic traffic = new Traffic(17, true, 0.1);
    try (Archive archive = Archive.create(folder.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      for (int i = 0; i < 6; i++) {
        Traffic.commit(archive, traffic.batches(500, i / 6.0, (i + 1) / 6.0));
      }
      RetentionOptions most = RetentionOptions.of(2800, 400, Duration.ZERO, 0);
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(most), "test"));
      try (ArchiveSnapshot before = archive.snapshot()) {
        List<VisibleSegment> visible = new ArrayList<>();
        for (SealedSegment segment : before.segments()) {
          visible.add(before.visible(segment));
        }
        assertTrue(visible.stream().anyMatch(segment -> segment.firstRow() > 0), "expired rows");
        String counts = answer(before, COUNTS);
        List<String> hosts = Stream.generate(() -> "" + traffic.address()).limit(30).toList();
        List<String> ofHosts = ofHosts(before, hosts);
        new Compactor(archive, new CompactionOptions(5000, 5000)).step(() -> false);
        Traffic.commit(archive, traffic.batches(100, 0.9, 1));
        archive.updateDirectory(true, () -> false);
        try (ArchiveSnapshot now = archive.snapshot();
            ArchiveSnapshot part = archive.snapshotOf(visible)) {
          assertNotEquals(before.segments(), now.segments());
          assertNotEquals(counts, answer(now, COUNTS));
          List<String> ofHostsNow = ofHosts(now, hosts);
          assertNotEquals(ofHosts, ofHostsNow);
          assertEquals(before.rows(), part.rows());
          assertEquals(counts, answer(part, COUNTS));
          // The directory of the same commit names other segments.
          assertEquals(ofHosts, ofHosts(part, hosts));
          assertEquals(ofHostsNow, ofHosts(now, hosts));
          assertEquals(ofHosts, ofHosts(before, hosts));
        }
      }
    }
  }
}
