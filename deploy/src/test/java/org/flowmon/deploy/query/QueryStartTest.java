package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process of a query loads, which is most of its time. */
class QueryStartTest {
  @TempDir private Path folder;

  @Test
  void aQueryThatLogsNothingLoadsNoLogger() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("archive"), 1, 50, false);
    Path classes = folder.resolve("classes");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:class+load:file=" + classes,
                "-cp",
                System.getProperty("java.class.path"),
                "org.flowmon.deploy.Start",
                "query",
                "SELECT * FROM flows WHERE protocol = 6 ORDER BY end_time LIMIT 3",
                "--archive",
                archive.toString())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    List<String> loaded = Files.readAllLines(classes);
    assertTrue(loaded.stream().anyMatch(line -> line.contains("segment.reader.ChunkCursor")), said);
    assertEquals(
        List.of(),
        loaded.stream()
            .filter(line -> line.contains(" org.slf4j.") || line.contains("org.apache.logging."))
            .toList());
  }
}
