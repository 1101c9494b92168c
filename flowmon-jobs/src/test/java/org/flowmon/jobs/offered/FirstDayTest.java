package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the further analyses say when the archive is thirteen hours old: what needs no past is
 * found, and what only a past can tell is no alarm.
 */
class FirstDayTest {
  private static final long END = 1_795_255_200L * Program.SECOND; // 2026-11-21T10:00:00Z

  @TempDir private static Path directory;

  @BeforeAll
  static void archiveThirteenHours() throws Exception {
    List<FlowBatch> batches = new ArrayList<>();
    for (FlowBatch batch : PlantedTraffic.batches(20_261_126, Cells.time(END), 100)) {
      if (batch.getLong(FlowColumn.ARRIVAL, 0) >= END - 13 * Program.HOUR) {
        batches.add(batch);
      }
    }
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment =
          new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE);
      long first = batches.get(0).getLong(FlowColumn.ARRIVAL, 0);
      SourceRange range = new SourceRange("t:0", 0, 1, first, END + Program.HOUR, false);
      archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
    }
  }

  /** Returns who has which verdict in the last window. */
  private static Map<String, Set<String>> named(String name, String column) throws Exception {
    AnalysisConfig analysis = AnalysisConfig.parse(name + ".yaml", AnalysisConfig.textOf(name));
    ReplaySpec spec =
        new ReplaySpec(
            List.of(ArchiveLocation.of(directory)),
            analysis,
            END - analysis.live().windowMicros(),
            END,
            Duration.ofSeconds(20),
            Duration.ZERO);
    StreamExecutionEnvironment env = LocalFlink.environment(1);
    Map<String, Set<String>> named = new TreeMap<>();
    int reports = 0;
    try (CloseableIterator<Report> all = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (all.hasNext()) {
        ResultTable rows = all.next().rows();
        reports++;
        for (int row = 0; row < rows.rowCount(); row++) {
          named
              .computeIfAbsent(rows.text(row, rows.column("verdict")), v -> new TreeSet<>())
              .add(rows.formatted(row, rows.column(column)));
        }
      }
    }
    assertEquals(1, reports, name);
    return named;
  }

  private static Set<String> all(IpAddress... addresses) {
    Set<String> all = new TreeSet<>();
    for (IpAddress address : addresses) {
      all.add(address.toString());
    }
    return all;
  }

  @Test
  void whatNeedsNoPastIsFound() throws Exception {
    assertEquals(
        Map.of(
            "amplification", all(PlantedThreats.FLOODED, PlantedThreats.RESOLVER),
            "syn_flood", all(PlantedThreats.SYN_FLOODED)),
        named("ddos", "dst_addr"));
    assertEquals(
        Map.of(
            "broken_in", all(PlantedThreats.BURGLAR),
            "brute_force", all(PlantedThreats.GUESSER, PlantedThreats.KEEPER),
            "no_history", all(PlantedThreats.CHECKER)),
        named("brute_force", "src_addr"));
    assertEquals(
        all(PlantedThreats.DNS_TUNNEL, PlantedThreats.MAIL_FILTER),
        named("dns_tunnels", "src_addr").get("tunnel"));
    Map<String, Set<String>> echoes = named("icmp_tunnels", "src_addr");
    assertEquals(all(PlantedThreats.ICMP_TUNNEL), echoes.get("tunnel"));
    assertTrue(echoes.get("usual").contains(PlantedThreats.PINGER.toString()), echoes.toString());
    Map<String, Set<String>> exporters = named("exporters", "exporter");
    assertEquals(all(PlantedThreats.SILENT), exporters.get("silent"));
    assertEquals(all(PlantedThreats.AHEAD), exporters.get("clock_ahead"));
    assertEquals(all(PlantedThreats.BEHIND), exporters.get("clock_behind"));
    assertEquals(all(PlantedThreats.ODD), exporters.get("wrong_times"));
    assertTrue(exporters.get("usual").size() > 20, exporters.toString());
  }

  @Test
  void whatOnlyThePastCanTellIsNoAlarm() throws Exception {
    assertEquals(
        Map.of("no_history", all(PlantedThreats.HELD, PlantedThreats.SUBSCRIBER)),
        named("long_connections", "src_addr"));
    assertEquals(
        Map.of(
            "no_history",
            all(PlantedThreats.THIEF, PlantedThreats.BACKUP, PlantedThreats.UPLOADER)),
        named("exfiltration", "src_addr"));
    assertEquals(Map.of(), named("dark_space", "src_addr"));
    assertEquals(Map.of(), named("new_services", "server"));
  }
}
