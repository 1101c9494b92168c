package org.flowmon.it.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.it.ProjectFiles;
import org.flowmon.it.dist.Distribution.Run;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./flowmon dist} makes runs where it is unpacked, without Maven and checkout. */
class DistributionIT {
  @TempDir static Path folder;
  private static Distribution dist;

  @BeforeAll
  static void unpack() throws Exception {
    dist = Distribution.unpack(folder.resolve("some where's else"));
  }

  @Test
  void theChecksumIsThatOfTheFile() throws Exception {
    Path file = Distribution.file(ProjectFiles.root());
    String line = Distribution.text(Path.of(file + ".sha256"));
    assertEquals(Distribution.sha256(file) + "  " + file.getFileName() + "\n", line);
  }

  @Test
  void itTellsItsVersionThroughALinkFromAnotherFolder() throws Exception {
    Path link = folder.resolve("linked");
    Files.createSymbolicLink(link, dist.home().resolve("bin/flowmon"));
    Run run = Distribution.run(Path.of("/"), Map.of(), link.toString(), "--version");
    String version = dist.home().getFileName().toString().substring("flowmon-".length());
    assertEquals(new Run(0, "flowmon " + version + "\n", ""), run);
  }

  @Test
  void itAnswersAQueryOverAnArchive() throws Exception {
    Path place = Files.createDirectories(folder.resolve("a query"));
    String flows = place.resolve("flows.csv").toString();
    String archive = place.resolve("an archive").toString();
    assertDone(place, "generate", "office", "--flows", "3000", "--to", flows);
    assertDone(place, "import", flows, "--archive", archive);
    Run run =
        assertDone(
            place,
            "query",
            "SELECT COUNT(*) AS n, SUM(bytes) AS bytes FROM flows",
            "--archive",
            archive,
            "--format",
            "csv");
    List<String> rows = Files.readAllLines(Path.of(flows));
    int bytes = List.of(rows.get(0).split(",", -1)).indexOf("bytes");
    long sum =
        rows.subList(1, rows.size()).stream()
            .mapToLong(row -> Long.parseLong(row.split(",", -1)[bytes]))
            .sum();
    assertEquals("n,bytes\n" + (rows.size() - 1) + "," + sum, run.out().strip());
  }

  @Test
  void theDemoRunsAndLogsToAFolder() throws Exception {
    Path place = Files.createDirectories(folder.resolve("a demo"));
    Path logs = place.resolve("all logs");
    Run run =
        dist.flowmon(
            place,
            Map.of("FLOWMON_LOG_DIR", logs.toString()),
            "demo",
            "--json",
            "--for",
            "10s",
            "--history",
            "1000",
            "--rate",
            "2000",
            "--dir",
            place.resolve("state").toString());
    assertEquals(0, run.code(), run.err());
    JsonNode summary = new ObjectMapper().readTree(run.out());
    assertTrue(summary.get("sent").asLong() > 0, run.out());
    assertEquals(summary.get("sent").asLong(), summary.get("stored").asLong(), run.out());
    assertTrue(Files.exists(logs.resolve("demo.log")), run.err());
  }

  @Test
  void aFileOfOnesOwnRunsWithItsClasses() throws Exception {
    Path file = folder.resolve("Own.java");
    Files.writeString(
        file,
        """
        class Own {
          public static void main(String[] args) {
            System.out.println(org.flowmon.flow.FlowColumn.class.getSimpleName() + args[0]);
          }
        }
        """);
    assertEquals("FlowColumn!\n", assertDone(folder, "run", file.toString(), "!").out());
    assertEquals(2, dist.flowmon(folder, Map.of(), "run", "none.java").code());
  }

  @Test
  void aMissingJarIsSaid() throws Exception {
    Path bin = Files.createDirectories(folder.resolve("broken/bin"));
    Files.copy(dist.home().resolve("bin/flowmon"), bin.resolve("flowmon"));
    Path libexec = Files.createDirectories(folder.resolve("broken/libexec"));
    Files.copy(dist.home().resolve("libexec/launch.bash"), libexec.resolve("launch.bash"));
    Run run =
        Distribution.run(folder, Map.of(), "bash", bin.resolve("flowmon").toString(), "status");
    assertEquals(3, run.code());
    assertTrue(run.err().contains("unpack the distribution again"), run.err());
  }

  @Test
  void eachJarIsInTheBillOfMaterialsAndHasALicence() throws Exception {
    JsonNode bill =
        new ObjectMapper().readTree(dist.home().resolve("sbom/flowmon-command.cdx.json").toFile());
    assertEquals("CycloneDX", bill.get("bomFormat").asText());
    Map<String, String> hashes = new java.util.TreeMap<>();
    for (JsonNode component : bill.get("components")) {
      for (JsonNode hash : component.path("hashes")) {
        if (hash.get("alg").asText().equals("SHA-256")) {
          hashes.put(hash.get("content").asText(), component.get("name").asText());
        }
      }
    }
    List<String> unknown = new ArrayList<>();
    int known = 0;
    try (Stream<Path> jars = Files.list(dist.home().resolve("lib"))) {
      for (Path jar : jars.sorted().toList()) {
        String name = jar.getFileName().toString();
        if (hashes.containsKey(Distribution.sha256(jar))) {
          known++;
        } else if (!name.startsWith("flowmon-")) {
          unknown.add(name);
        }
      }
    }
    assertEquals(List.of(), unknown);
    assertTrue(known > 100, known + " jars");
    for (String file : List.of("LICENSE", "NOTICE", "README.md", "docs/README.md")) {
      assertEquals(
          Distribution.text(ProjectFiles.root().resolve(file)),
          Distribution.text(dist.home().resolve(file)));
    }
    assertTrue(Files.isRegularFile(dist.home().resolve("licenses/flink-core/META-INF/LICENSE")));
  }

  @Test
  void itHasAnalysesDashboardsCompletionAndAManualOfEachCommand() throws Exception {
    assertEquals(
        names(ProjectFiles.root().resolve("flowmon-jobs/src/main/resources/analyses")),
        names(dist.home().resolve("analyses")));
    for (String part : List.of("grafana/dashboards", "grafana/provisioning/alerting")) {
      assertEquals(
          names(ProjectFiles.root().resolve("deploy").resolve(part)),
          names(dist.home().resolve(part)));
    }
    assertEquals(
        assertDone(folder, "completion", "bash").out(),
        Distribution.text(dist.home().resolve("completion/flowmon.bash")));
    assertEquals(
        assertDone(folder, "man", "query").out(),
        Distribution.text(dist.home().resolve("share/man/man1/flowmon-query.1")));
    assertTrue(Files.size(dist.home().resolve("job/flowmon-job.jar")) > 1_000_000);
  }

  /**
   * A copy of the sources, built in another folder. It takes minutes, so it runs if asked for:
   * {@code FLOWMON_BUILD_TWICE=1 ./flowmon test -Pdist -Dit.test=DistributionIT}.
   */
  @Test
  void equalSourcesInAnotherFolderGiveEqualBytes() throws Exception {
    Assumptions.assumeTrue(
        System.getenv("FLOWMON_BUILD_TWICE") != null,
        "skipped: with FLOWMON_BUILD_TWICE the distribution is built twice");
    Path root = ProjectFiles.root();
    Path copy = Files.createDirectories(folder.resolve("a copy"));
    Path first = Distribution.file(root);
    List<String> newer = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = root.relativize(file).toString();
        if (!name.matches("(.*/)?(target|\\.git)(/.*)?") && !name.isEmpty()) {
          Files.copy(file, copy.resolve(name));
          if (Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(first)) > 0) {
            newer.add(name);
          }
        }
      }
    }
    Run run =
        Distribution.run(
            copy,
            Map.of("PATH", System.getenv("PATH")),
            copy.resolve("flowmon").toString(),
            "dist");
    assertEquals(0, run.code(), run.err());
    Path second = copy.resolve("target").resolve(first.getFileName());
    assertNotEquals(first, second);
    assertEquals(
        Distribution.sha256(first),
        Distribution.sha256(second),
        () -> "changed since the first was built: " + newer);
  }

  private static Run assertDone(Path place, String... arguments) throws Exception {
    Run run = dist.flowmon(place, Map.of(), arguments);
    assertEquals(0, run.code(), List.of(arguments) + ": " + run.err());
    return run;
  }

  private static Set<String> names(Path of) throws Exception {
    try (Stream<Path> files = Files.list(of)) {
      return files
          .map(file -> file.getFileName().toString())
          .collect(java.util.stream.Collectors.toCollection(TreeSet::new));
    }
  }
}
