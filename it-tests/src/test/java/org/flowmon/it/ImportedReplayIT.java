package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.deploy.Flowmon;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real logs of two days, imported in any order: the second day is judged by the first, as plain
 * sums over the logs' lines say.
 */
class ImportedReplayIT {
  private static final String DAY = "2024-04-20T00:00:00Z";
  private static final String END = "2024-04-21T00:00:00Z";
  private static final int HOUR = 3_600;

  @TempDir Path folder;

  private static List<Path> logs() throws IOException {
    List<Path> logs = new ArrayList<>();
    for (String day : List.of("2024-04-19", "2024-04-20")) {
      try (Stream<Path> files =
          Files.list(ProjectFiles.data().resolve("zeek/rita-missing-host").resolve(day))) {
        files.filter(file -> file.toString().endsWith(".log.gz")).sorted().forEach(logs::add);
      }
    }
    return logs;
  }

  private Path archive(String name) {
    return folder.resolve(name);
  }

  private void load(String name, List<Path> logs) {
    List<String> command = new ArrayList<>(List.of("import"));
    logs.forEach(log -> command.add(log.toString()));
    command.addAll(List.of("--archive", archive(name).toString()));
    CommandRun run = CommandRun.of(Flowmon.commandLine(), command.toArray(String[]::new));
    assertEquals(0, run.code(), run.err());
    assertEquals("", run.err());
  }

  private List<String> replay(String name, Path analysis) {
    CommandRun run =
        CommandRun.of(
            Flowmon.commandLine(),
            "replay",
            "--archive",
            archive(name).toString(),
            "--analysis",
            analysis.toString(),
            "--from",
            DAY,
            "--to",
            END,
            "--format",
            "json");
    assertEquals(0, run.code(), run.err());
    return run.out().lines().toList();
  }

  /** Flows by source, for each hour of their ends since 1970. */
  private static Map<Long, Map<String, Long>> counted(List<String> lines) {
    Map<Long, Map<String, Long>> counts = new TreeMap<>();
    for (String line : lines) {
      String[] fields = line.split("\t", -1);
      double length = fields[9].equals("-") ? 0 : Double.parseDouble(fields[9]);
      long hour = (long) Math.floor((Double.parseDouble(fields[1]) + length) / HOUR);
      counts.computeIfAbsent(hour, h -> new HashMap<>()).merge(fields[3], 1L, Long::sum);
    }
    return counts;
  }

  @Test
  void theSecondDayIsJudgedByTheFirstInWhateverOrderTheyCame() throws Exception {
    List<Path> logs = logs();
    load("once", logs);
    List<Path> backwards = new ArrayList<>(logs);
    Collections.reverse(backwards);
    for (Path log : backwards) {
      load("parts", List.of(log));
    }
    List<String> rows = new ArrayList<>();
    List<String> head = new ArrayList<>();
    for (Path log : logs) {
      for (String line : ProjectFiles.lines(log)) {
        if (!line.startsWith("#")) {
          rows.add(line);
        } else if (log.equals(logs.get(0)) && !line.startsWith("#close")) {
          head.add(line);
        }
      }
    }
    List<String> shuffled = new ArrayList<>(rows);
    Collections.shuffle(shuffled, new Random(1));
    shuffled.addAll(0, head);
    load("shuffled", List.of(Files.write(folder.resolve("conn.log"), shuffled)));

    Path analysis =
        Files.writeString(
            folder.resolve("talkers.yaml"),
            """
            name: talkers
            live:
              query: SELECT src_addr, COUNT(*) AS flows FROM flows GROUP BY src_addr ORDER BY flows DESC LIMIT 20
              window: 1h
              time: end_time
              lateness: 1s
              revisions: false
            history:
              query: |
                SELECT src_addr, COUNT(*) AS flows, DAYS_BEFORE(end_time, :now) AS day FROM flows
                WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 1)
                GROUP BY src_addr, DAYS_BEFORE(end_time, :now)
            report:
              query: |
                SELECT live.src_addr, live.flows, past.flows / 3600 AS median_rate, :days_used AS days_used,
                  CASE WHEN live.flows > 0.01 * live.total_flows AND live.flows >= 3 * past.flows
                    THEN 'new' ELSE 'usual' END AS verdict
                FROM live LEFT JOIN (
                  SELECT l.rank, MEDIAN(COALESCE(h.flows, 0)) AS flows FROM live AS l CROSS JOIN days AS d
                  LEFT JOIN history AS h ON h.src_addr = l.src_addr AND h.day = d.day
                  WHERE d.inside GROUP BY l.rank) AS past ON past.rank = live.rank
            sinks: [kafka]
            """);
    List<String> reports = replay("once", analysis);
    assertEquals(reports, replay("parts", analysis));
    assertEquals(reports, replay("shuffled", analysis));
    check(reports, counted(rows));
  }

  private static void check(List<String> reports, Map<Long, Map<String, Long>> counted)
      throws IOException {
    Map<String, Integer> verdicts = new HashMap<>();
    for (String line : reports) {
      JsonNode row = new ObjectMapper().readTree(line);
      JsonNode columns = row.get("columns");
      JsonNode confidence = row.get("confidence");
      assertEquals("exact", confidence.get("history").asText(), line);
      assertTrue(
          confidence.get("message").asText().startsWith("history is of imported files, from 2024"),
          line);
      assertEquals(0, confidence.get("late_flows").asLong(), line);
      long end = Instant.parse(row.get("window_end").asText()).getEpochSecond() / HOUR;
      Map<String, Long> now = counted.get(end - 1);
      String source = columns.get("src_addr").asText();
      long flows = columns.get("flows").asLong();
      assertEquals(now.get(source), flows, line);
      long total = now.values().stream().mapToLong(n -> n).sum();
      long before = counted.get(end - 24).getOrDefault(source, 0L);
      assertEquals(1, columns.get("days_used").asInt(), line);
      assertEquals(before / 3600.0, columns.get("median_rate").asDouble(), 1e-9, line);
      boolean isNew = flows > 0.01 * total && flows >= 3 * before;
      assertEquals(isNew ? "new" : "usual", columns.get("verdict").asText(), line);
      verdicts.merge(columns.get("verdict").asText(), 1, Integer::sum);
    }
    assertTrue(verdicts.get("new") > 10 && verdicts.get("usual") > 10, verdicts.toString());
  }
}
