package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.flowmon.jobs.config.ColumnsSection;
import org.flowmon.jobs.config.YamlFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task, in another process than the one that read the configuration, knows its columns. */
class OwnColumnsInTasksTest {
  private static final String COLUMNS = "columns: [{name: dns_name, id: 200}]";
  private static final String ANALYSIS =
      """
      name: names
      live:
        query: SELECT dns_name, COUNT(*) AS n FROM flows GROUP BY dns_name
        window: 1m
      report: {logic: live}
      sinks: [kafka]
      """;

  @TempDir Path folder;

  @Test
  void anAnalysisThatComesLaterMayNameThem() throws Exception {
    run("build");
    run("task");
  }

  private void run(String step) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OwnColumnsInTasksTest.class.getName(),
                step,
                folder.resolve("set").toString())
            .redirectErrorStream(true)
            .start();
    try {
      String out = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      child.waitFor(1, TimeUnit.MINUTES);
      assertEquals(0, child.exitValue(), out);
    } finally {
      child.destroyForcibly();
    }
  }

  /** Builds the set of a job, or takes it as a task does. */
  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[1]);
    if (args[0].equals("build")) {
      ColumnsSection.define(YamlFile.parse("job.yaml", COLUMNS));
      try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(file))) {
        out.writeObject(new AnalysisSet(List.of()));
      }
    } else {
      try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
        AnalysisSet set = (AnalysisSet) in.readObject();
        AnalysisConfig later = AnalysisConfig.parse("names.yaml", ANALYSIS);
        assertEquals("names", later.name());
        assertEquals(0, set.running().size());
      }
    }
  }
}
