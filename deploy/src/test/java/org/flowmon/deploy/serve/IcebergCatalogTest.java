package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The archive as an Iceberg table of a REST catalog: engines of others, in Python's environments
 * below {@code FLOWMON_READERS}, see the flows that {@code flowmon query} sees. Skips an engine
 * that is not there.
 */
final class IcebergCatalogTest {
  private static final String TABLE = "/iceberg/v1/namespaces/flowmon/tables/flows";
  private static final String TOKEN = "0123456789abcdef0123456789abcdef0123456789abcdef";
  private static final int DAYS = 3;
  private static final int FLOWS = 500;
  private static final long SEED = 24;

  @TempDir Path folder;
  private Path archive;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    archive = folder.toRealPath().resolve("archive");
    Random random = new Random(SEED);
    for (int day = 1; day <= DAYS; day++) {
      StringBuilder csv =
          new StringBuilder(
              "end_time,src_addr,dst_port,protocol,bytes,src_as,flow_sequence,input_if\n");
      for (int i = 0; i < FLOWS; i++) {
        csv.append(
            String.format(
                "2026-11-0%dT%02d:00:%02dZ,%s,%d,%d,%d,%d,%d,%s%n",
                day,
                i % 24,
                i % 60,
                i % 5 == 0 ? "2001:db8::" + (1 + i) : "10.0." + day + "." + i % 250,
                i % 2 == 0 ? 65_535 : 443,
                i % 3 == 0 ? 255 : 6,
                random.nextInt(1_000_000),
                0xFFFF_FFFFL - random.nextInt(100),
                3_000_000_000L + random.nextInt(1_000_000_000),
                i % 3 == 0 ? "" : "7"));
      }
      Path file = Files.writeString(folder.resolve("day" + day + ".csv"), csv);
      run("import", file, "--archive", archive);
    }
    Path tokens = Files.writeString(folder.resolve("tokens"), "read reader " + TOKEN + "\n");
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    server =
        TestServer.start(
            folder, archive, Tokens.read(tokens), Optional.empty(), Duration.ofSeconds(30));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String run(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(0, run.code(), run.err());
    return run.out();
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    return server.send(
        server
            .jsonRequest(method, path, method.equals("POST") ? "{}" : "")
            .header("Authorization", "Bearer " + TOKEN));
  }

  private JsonNode get(String path) throws Exception {
    return server.json(TestServer.checked("get", path, ask("GET", path)));
  }

  @Test
  void answersFitTheContractAndFollowTheArchive() throws Exception {
    assertTrue(get("/iceberg/v1/config").get("endpoints").size() >= 6);
    assertEquals("flowmon", get("/iceberg/v1/namespaces").at("/namespaces/0/0").asText());
    assertEquals(
        "flows", get("/iceberg/v1/namespaces/flowmon/tables").at("/identifiers/0/name").asText());
    get("/iceberg/v1/namespaces/flowmon");
    JsonNode table = get(TABLE);
    assertEquals(DAYS, table.at("/metadata/current-snapshot-id").asInt());
    assertEquals(DAYS, table.at("/metadata/snapshots").size());
    assertEquals(table, get(TABLE), "without a commit it stays as it is");
    String metadata = table.get("metadata-location").asText();
    assertEquals(
        TestServer.JSON.readTree(Path.of(metadata).toFile()), table.get("metadata"), metadata);
    run("import", folder.resolve("day1.csv"), "--force", "--archive", archive);
    assertEquals(DAYS + 1, get(TABLE).at("/metadata/current-snapshot-id").asInt());
  }

  @Test
  void errorsAreThoseOfACatalog() throws Exception {
    assertError(404, "NoSuchTableException", ask("GET", TABLE + "x"));
    assertError(404, "NoSuchNamespaceException", ask("GET", "/iceberg/v1/namespaces/x"));
    assertError(404, "NoSuchNamespaceException", ask("GET", "/iceberg/v1/namespaces/x/tables"));
    // As Spark looks for flows.snapshots.
    assertError(
        404,
        "NoSuchTableException",
        ask("GET", "/iceberg/v1/namespaces/flowmon%1Fflows/tables/snapshots"));
    assertEquals(204, ask("HEAD", TABLE).statusCode());
    assertEquals(404, ask("HEAD", TABLE + "x").statusCode());
    for (String write :
        List.of(
            "POST /iceberg/v1/namespaces",
            "DELETE /iceberg/v1/namespaces/flowmon",
            "POST /iceberg/v1/namespaces/flowmon/properties",
            "POST /iceberg/v1/namespaces/flowmon/tables",
            "POST /iceberg/v1/namespaces/flowmon/register",
            "POST " + TABLE,
            "DELETE " + TABLE,
            "POST /iceberg/v1/tables/rename",
            "POST /iceberg/v1/transactions/commit")) {
      String[] parts = write.split(" ", -1);
      assertError(405, "UnsupportedOperationException", ask(parts[0], parts[1]));
    }
    HttpResponse<String> nobody = server.send(server.request(TABLE));
    assertError(401, "NotAuthorizedException", nobody);
    assertEquals("Bearer", nobody.headers().firstValue("WWW-Authenticate").orElse(""));
  }

  private static void assertError(int status, String type, HttpResponse<String> answer)
      throws IOException {
    assertEquals(status, answer.statusCode(), answer.body());
    JsonNode error = TestServer.JSON.readTree(answer.body()).get("error");
    assertEquals(type, error.get("type").asText());
    assertEquals(status, error.get("code").asInt());
    assertFalse(error.get("message").asText().isEmpty());
  }

  @Test
  void filesOfALoadedTableStayThoughTheyAreMerged() throws Exception {
    for (int i = 0; i < 3; i++) {
      run("import", folder.resolve("day1.csv"), "--force", "--archive", archive);
    }
    get(TABLE);
    List<String> loaded;
    try (Archive opened = Archive.open(archive);
        ArchiveSnapshot snapshot = opened.snapshot()) {
      loaded = snapshot.files();
    }
    run("compact", "--archive", archive);
    try (Archive opened = Archive.open(archive);
        ArchiveSnapshot snapshot = opened.snapshot()) {
      assertTrue(snapshot.files().size() < loaded.size(), "nothing was merged");
    }
    for (String file : loaded) {
      assertTrue(Files.exists(Path.of(file)), file);
    }
  }

  @ParameterizedTest
  @CsvSource({"iceberg, pyiceberg, 0.12.0", "iceberg, duckdb, 1.5.5", "spark, spark, 3.5.9"})
  void otherEnginesSeeTheSameFlows(String environment, String engine, String version)
      throws Exception {
    Path python = python(environment);
    // Part of the first day's rows expire; its file stays.
    run("expire", "--archive", archive, "--rows", 3 * FLOWS - 120, "--slack", 100_000);
    List<String> expected = new ArrayList<>();
    expected.add(version);
    expected.add("all\t" + asked());
    expected.add("late\t" + FLOWS + "\t1");
    expected.add("first\t1\t" + FLOWS);
    expected.add("write");
    List<String> lines = answered(python, engine);
    lines.set(lines.size() - 1, lines.get(lines.size() - 1).split("\t", -1)[0]);
    assertEquals(expected, lines, engine);
    assertEquals(expected.get(1), "all\t" + asked(), "no engine changes anything");
  }

  /** As the engines print the same sums. */
  private String asked() {
    String sql =
        "SELECT COUNT(*) AS a, SUM(bytes) AS b, SUM(src_as) AS c, MAX(src_as) AS d,"
            + " MAX(flow_sequence) AS e, SUM(dst_port) AS f, SUM(protocol) AS g, COUNT(input_if) AS"
            + " h FROM flows";
    String sums = run("query", sql, "--archive", archive, "--format", "csv");
    // Addresses are texts for other engines.
    String addresses =
        run("query", "SELECT src_addr FROM flows", "--archive", archive, "--format", "csv");
    List<String> texts = addresses.lines().skip(1).sorted().toList();
    return String.join("\t", sums.lines().toList().get(1).split(","))
        + "\t"
        + texts.get(0)
        + "\t"
        + texts.get(texts.size() - 1);
  }

  private static Path python(String environment) {
    String readers = System.getenv("FLOWMON_READERS");
    String why = "no other readers: FLOWMON_READERS names no folder with " + environment;
    Path python = Path.of(readers == null ? "none" : readers, environment, "bin", "python");
    boolean isThere = Files.exists(python);
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") != null) {
      assertTrue(isThere, why);
    }
    assumeTrue(isThere, why);
    return python;
  }

  private List<String> answered(Path python, String engine) throws Exception {
    Path script = Path.of(getClass().getResource("/iceberg_readers.py").toURI());
    Path jar = python.resolveSibling("../iceberg-spark-runtime.jar").normalize();
    Path output = folder.resolve("answers");
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(
                python.toString(),
                script.toString(),
                engine,
                server.url("/iceberg"),
                TOKEN,
                "2026-11-0" + DAYS + " 00:00:00",
                jar.toString())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError(engine + " does not end");
    }
    assertEquals(0, process.exitValue(), Files.readString(errors));
    return new ArrayList<>(Files.readAllLines(output));
  }
}
