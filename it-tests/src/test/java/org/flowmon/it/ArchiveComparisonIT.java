package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.WorkloadColumn;
import org.flowmon.bench.archive.WorkloadParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon bench archive --compare} as a user runs it, small: an oracle of five systems. */
final class ArchiveComparisonIT {
  private static final long ROWS = 100_000;
  private static final long SEED = 11;

  @TempDir Path folder;

  @Test
  void theArchiveAnswersAsDuckDbSqliteAndPostgresDo() throws Exception {
    try (Program bench =
        Program.bench(
            folder,
            "bench",
            "archive",
            "--compare",
            "--rows=" + ROWS,
            "--seed=" + SEED,
            "--segment-rows=25000",
            "--rounds=1",
            "--warm-up=0",
            "--keep=" + folder.resolve("data"))) {
      assertEquals(0, bench.await(), bench.printed());
      String out = bench.output();
      assertTrue(out.contains("the answers of all systems are the same"), bench.printed());
      for (String system : List.of("flowmon", "duckdb", "duckdb_art", "sqlite", "postgres")) {
        assertTrue(out.contains("\n" + system + " "), system + " is missing\n" + out);
        assertTrue(Files.isDirectory(folder.resolve("data").resolve(system)), system);
      }
      Map<String, Long> expected = answerRows();
      Map<String, Long> found = new HashMap<>();
      for (String line : out.split("\n", -1)) {
        String[] cells = line.trim().split(" +", -1);
        if (cells.length > 2 && expected.containsKey(cells[0])) {
          found.put(cells[0], Long.parseLong(cells[1].replace(",", "")));
        }
      }
      assertEquals(expected, found, "seed " + SEED + "\n" + out);
    }
  }

  /** How many rows some queries answer with, counted from the workload itself. */
  private static Map<String, Long> answerRows() throws Exception {
    GeneratedWorkload workload = new GeneratedWorkload(ROWS, SEED);
    WorkloadParameters parameters = workload.parameters();
    Set<Long> sources = new HashSet<>(parameters.sources());
    Set<List<Long>> scans = new HashSet<>();
    Set<Long> incoming = new HashSet<>();
    Set<Set<Long>> pairs = new HashSet<>();
    Map<String, Long> rows = new HashMap<>();
    parameters.lookups().keySet().forEach(name -> rows.put("lookup_" + name, 0L));
    workload.read(
        block -> {
          for (int i = 0; i < block.rows(); i++) {
            long source = block.column(WorkloadColumn.SRC_ADDR)[i];
            long destination = block.column(WorkloadColumn.DST_ADDR)[i];
            pairs.add(Set.of(source, destination));
            if (sources.contains(source)) {
              scans.add(List.of(source, destination));
            }
            if (block.column(WorkloadColumn.OUTGOING)[i] == 0) {
              incoming.add(source);
            }
            parameters
                .lookups()
                .forEach(
                    (name, address) -> {
                      if (address == source || address == destination) {
                        rows.merge("lookup_" + name, 1L, Long::sum);
                      }
                    });
          }
        });
    rows.put("portscans", (long) scans.size());
    rows.put("anomaly", (long) incoming.size());
    rows.put("anomaly_pairs", (long) pairs.size());
    return rows;
  }

  @Test
  void rowsOfAFileAreTakenAndOneThatIsNoFlowIsNamed() throws Exception {
    Path file = folder.resolve("flows.csv");
    String header =
        "ts,src_ip,dst_ip,src_port,dst_port,protocol,bytes_sent,bytes_recv,outgoing,state,duration";
    String rows =
        "1767225600,167772161,3232235777,40000,443,6,1000,2000,1,2,150\n"
            + "1767225601,3232235777,167772161,443,40000,6,500,0,0,0,7\n";
    Files.writeString(file, header + "\n" + rows, StandardCharsets.US_ASCII);
    Files.writeString(
        folder.resolve("flows.params.json"),
        "{\"n\": 2, \"t0\": 1767225600, \"t1\": 1767830400, \"src100\": [167772161],"
            + " \"hours\": [[1767276000, 1767279600]], \"mice_hours\": 24,"
            + " \"prefixes16\": [[167772160, 167837695]], \"lookups\": {\"hot\": 167772161,"
            + " \"warm\": 3232235777, \"cool\": 167772161, \"cold\": 167772161,"
            + " \"absent\": 3735928559}}");
    String[] command = {
      "archive",
      "--compare",
      "--systems=sqlite,flowmon",
      "--rounds=1",
      "--warm-up=0",
      "--input=" + file
    };
    try (Program bench = Program.bench(folder, "sound", command)) {
      assertEquals(0, bench.await(), bench.printed());
      List<String> lookups =
          bench.output().lines().filter(line -> line.startsWith("lookup_hot")).toList();
      assertEquals(2, lookups.size(), bench.printed());
      assertTrue(
          lookups.stream().allMatch(line -> line.matches("lookup_hot +2 .*")),
          lookups.stream().collect(Collectors.joining("\n")));
    }
    Files.writeString(file, header + "\n" + rows.replace(",443,40000,", ",443,99999,"));
    try (Program bench = Program.bench(folder, "hurt", command)) {
      assertTrue(bench.await() != 0, bench.printed());
      assertTrue(bench.errors().contains("flows.csv line 3, dst_port"), bench.printed());
    }
  }
}
