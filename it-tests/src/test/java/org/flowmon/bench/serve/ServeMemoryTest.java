package org.flowmon.bench.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.experiment.CheckpointLoad;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many queries with large answers at a time, in a process with the launcher's heap that would end
 * at the first {@link OutOfMemoryError}.
 */
class ServeMemoryTest {
  private static final int ROWS = 600_000;
  private static final int CLIENTS = 18;
  private static final Set<String> REASONS =
      Set.of("413 too_much_memory", "429 too_many_queries", "503 unavailable");
  private static final List<Asked> LARGE =
      List.of(
          Asked.query("sorted", "SELECT * FROM flows ORDER BY bytes DESC", "ndjson"),
          Asked.query(
              "groups",
              "SELECT src_addr, dst_addr, COUNT(*) AS n, SUM(bytes) AS b FROM flows"
                  + " GROUP BY src_addr, dst_addr",
              "ndjson"),
          Asked.query("rows", "SELECT * FROM flows", "parquet"),
          Asked.query(
              "distinct",
              "SELECT dst_port, COUNT(DISTINCT src_addr) AS n FROM flows GROUP BY dst_port",
              "json"),
          Asked.query("lines", "SELECT * FROM flows WHERE bytes > 100", "csv"),
          Asked.query(
              "joined",
              "SELECT src_addr, b FROM (SELECT src_addr, SUM(bytes) AS b FROM"
                  + " flows GROUP BY src_addr) ORDER BY b DESC",
              "ndjson"));

  @TempDir Path folder;

  @Test
  void queriesAreRefusedBeforeTheHeapIsFull() throws Exception {
    Path archive = folder.resolve("archive");
    try (Archive created = Archive.create(archive, ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(created, ROWS / 4)) {
      GeneratedWorkload.ofUniformAddresses(ROWS, 22).read(load::add);
      load.finish();
    }
    try (ServeProcess server =
        ServeProcess.start(
            List.of(archive), folder.resolve("audit.json"), "-XX:+ExitOnOutOfMemoryError")) {
      List<String> outcomes = askAll(server);
      assertTrue(server.isAlive(), "it ended: " + outcomes);
      for (String outcome : outcomes) {
        assertTrue(outcome.startsWith("200 ") || REASONS.contains(outcome), outcomes.toString());
      }
      assertTrue(outcomes.contains("413 too_much_memory"), "no query was large: " + outcomes);
      assertTrue(outcomes.contains("200 rows"), "large answers are given, too: " + outcomes);
      String count = ask(server, Asked.query("count", "SELECT COUNT(*) AS n FROM flows", "csv"), 0);
      assertEquals("200 count", count, "it goes on");
    }
  }

  private static List<String> askAll(ServeProcess server) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<String>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Asked query = LARGE.get(i % LARGE.size());
        int pause = i % 4 == 0 ? 1 : 0; // some read slowly
        running.add(clients.submit(() -> ask(server, query, pause)));
      }
      List<String> outcomes = new ArrayList<>();
      for (Future<String> one : running) {
        outcomes.add(one.get());
      }
      return outcomes;
    } finally {
      clients.shutdownNow();
    }
  }

  /** The status, and what the query is or the reason of its end. */
  private static String ask(ServeProcess server, Asked query, int pauseMillis) throws Exception {
    HttpURLConnection connection = query.open(server.url());
    int status = query.send(connection);
    if (status != 200) {
      try (InputStream problem = connection.getErrorStream()) {
        JsonNode json =
            new ObjectMapper().readTree(new String(problem.readAllBytes(), StandardCharsets.UTF_8));
        return status + " " + json.path("code").asText();
      }
    }
    try (InputStream in = connection.getInputStream()) {
      byte[] buffer = new byte[1 << 16];
      while (in.read(buffer) >= 0) {
        Thread.sleep(pauseMillis);
      }
    } catch (IOException e) {
      return "broken " + query.kind() + ": " + e.getMessage();
    }
    return "200 " + query.kind();
  }
}
