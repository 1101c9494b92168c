package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.query.LongRanges;
import org.flowmon.udaf.query.QueryParser;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.table.LowLevelQuery;
import org.flowmon.udaf.table.PartialGroups;
import org.flowmon.udaf.table.WindowPart;
import org.flowmon.udaf.table.WindowTables;
import org.junit.jupiter.api.Test;

/**
 * The analysis of portscans over real exports and connection logs of which it is known who scans:
 * these sources are found, and no other, the victims that answer least of all. The hosts have no
 * past: whatever reaches the threshold is a scan.
 */
class PortscansIT {
  private static AnalysisConfig analysis() throws IOException {
    try (InputStream in = AnalysisConfig.class.getResourceAsStream("/analyses/portscans.yaml")) {
      String yaml = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      // Old captures were exported years later: nothing is to be late.
      return AnalysisConfig.parse(
          "portscans.yaml", yaml.replace("lateness: 1s", "lateness: 36000d"));
    }
  }

  private static List<FlowBatch> read(String file) throws IOException {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    Runnable flush =
        () -> {
          if (!builder.isEmpty()) {
            batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
            builder.clear();
          }
        };
    Path path = ProjectFiles.data().resolve(file);
    FlowFiles.open(path)
        .read(
            new FlowSink() {
              @Override
              public FlowBatchBuilder builder() {
                return builder;
              }

              @Override
              public void rowsEnded(int rows) {
                if (builder.isFull()) {
                  flush.run();
                }
              }
            });
    flush.run();
    return batches;
  }

  /** Each source that is a scan in a window, with most of its targets in one. */
  private static Map<String, Long> scans(String file) throws IOException {
    AnalysisConfig analysis = analysis();
    ReportLogic logic = ReportLogics.of(analysis);
    logic.open(analysis);
    Map<String, Long> scans = new TreeMap<>();
    for (WindowPart part : windows(LiveQuery.of(analysis), read(file))) {
      ResultTable rows = logic.report(window(analysis, part));
      for (int row = 0; row < rows.rowCount(); row++) {
        if (rows.text(row, rows.column("verdict")).equals("scan")) {
          scans.merge(
              rows.formatted(row, rows.column("src_addr")),
              rows.longValue(row, rows.column("targets")),
              Math::max);
        }
      }
    }
    return scans;
  }

  private static Iterable<WindowPart> windows(LiveQuery live, List<FlowBatch> batches) {
    Map<Integer, WindowTables> tables = new HashMap<>();
    LowLevelQuery low =
        new LowLevelQuery(
            live.id(),
            live.query(),
            live.window(),
            256,
            8,
            (keyGroup, bytes) ->
                tables
                    .computeIfAbsent(
                        keyGroup, k -> new WindowTables(live.id(), live.query(), live.window()))
                    .merge(PartialGroups.open(bytes)));
    batches.forEach(low::process);
    low.drainAll();
    assertEquals(low.counts().selected(), low.counts().counted(), "no flow is late or ahead");
    Map<Long, WindowPart> windows = new TreeMap<>();
    for (WindowTables table : tables.values()) {
      table.closeUpTo(
          Long.MAX_VALUE,
          part -> {
            WindowPart known = windows.putIfAbsent(part.windowEnd(), part);
            if (known != null) {
              known.merge(part);
            }
          });
    }
    return windows.values();
  }

  /** The window with a history that reaches back for ever and in which no source occurs. */
  private static WindowHistory window(AnalysisConfig analysis, WindowPart part) {
    ResultTable nobody =
        FlowQueries.run(
            List.of(),
            QueryParser.parse(
                "SELECT src_addr, COUNT(*) AS targets, COUNT(bytes) AS day FROM flows"
                    + " GROUP BY src_addr"));
    long end = part.windowEnd();
    return new WindowHistory(
        new WindowResult(
            analysis.name(),
            end - analysis.live().windowMicros(),
            end,
            part.result(),
            part.totals(),
            part.groups(),
            new ArrivalCounts(0, 0, 0, 0)),
        new HistoryAnswer(HistoryStatus.EXACT, end, 0, end, LongRanges.NONE, nobody, null));
  }

  @Test
  void exportsOfScansNameTheScannerAndNeverItsVictim() throws IOException {
    Map<String, String> scanners =
        Map.of(
            "ndpi-synscan", "172.16.0.8",
            "nmap-tcp_syn_scan", "192.168.1.10",
            "nmap-tcp_connect_scan", "192.168.1.10",
            "nmap-udp_scan", "192.168.1.10",
            "nmap-xmas_tree_scan", "192.168.1.10");
    for (Map.Entry<String, String> scan : new TreeMap<>(scanners).entrySet()) {
      for (String version : List.of("v5", "v9", "v10")) {
        String file = "netflow-from-pcap/" + scan.getKey() + "/export." + version + ".pcap";
        Map<String, Long> found = scans(file);
        assertEquals(new TreeSet<>(List.of(scan.getValue())), found.keySet(), file);
      }
    }
  }

  @Test
  void exportsWithoutAScanNameNobody() throws IOException {
    for (String capture : List.of("many-protocols", "ndpi-1kxun", "pcpp-example")) {
      for (String version : List.of("v5", "v9", "v10")) {
        String file = "netflow-from-pcap/" + capture + "/export." + version + ".pcap";
        assertEquals(Map.of(), scans(file), file);
      }
    }
  }

  @Test
  void connectionLogsNameTheScannerAndNobodyWhereThereIsNone() throws IOException {
    Map<String, Long> scan =
        scans("labelled/stratosphere/002-zeek-scenario-port-scanning/conn.log.gz");
    assertEquals(Map.of("172.16.1.11", 2243L), scan);
    assertEquals(Map.of(), scans("labelled/idps/2023-02-20-benign/conn.log.labeled.gz"));
    assertEquals(Map.of(), scans("zeek/m57/conn.log.gz"));
  }
}
