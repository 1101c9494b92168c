package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.serve.Server;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.http.AuditLog;
import org.flowmon.deploy.serve.http.Contract;
import org.flowmon.deploy.serve.http.HttpServer;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Schemathesis makes requests of the served contract, right and wrong ones: none is a server's
 * error, each answer is one that the contract has, and what violates it is refused.
 */
class ServeFuzzIT {
  private static final int REQUESTS = 25;
  private static final String SEED = "22";

  @TempDir Path folder;

  @Test
  void generatedRequestsGetAnswersOfTheContract() throws Exception {
    String program = System.getenv().getOrDefault("FLOWMON_SCHEMATHESIS", "schemathesis");
    boolean isRequired = System.getenv("FLOWMON_REQUIRE_TOOLS") != null;
    assumeTrue(isRequired || runs(program), program + " is missing (FLOWMON_SCHEMATHESIS)");
    try (AuditLog audit = AuditLog.open(Optional.of(folder.resolve("audit.json")));
        Server server = start(audit)) {
      Process process =
          new ProcessBuilder(
                  program,
                  "--config-file",
                  ProjectFiles.root()
                      .resolve("it-tests/src/test/resources/schemathesis.toml")
                      .toString(),
                  "run",
                  server.url() + "openapi.json",
                  "--phases",
                  "examples,coverage,fuzzing",
                  "--checks",
                  "not_a_server_error,status_code_conformance,content_type_conformance,"
                      + "response_headers_conformance,response_schema_conformance,"
                      + "negative_data_rejection,unsupported_method",
                  "--max-examples",
                  Integer.toString(REQUESTS),
                  "--request-timeout",
                  "60",
                  "--seed",
                  SEED,
                  "--no-color")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(5, TimeUnit.MINUTES));
      assertEquals(0, process.exitValue(), out);
      int all = operations();
      assertTrue(out.contains("Selected: " + all + "/" + all), out);
    }
  }

  /** Of the contract. */
  private static int operations() throws IOException {
    int operations = 0;
    for (JsonNode path : new ObjectMapper().readTree(Contract.read().json()).get("paths")) {
      for (String method : List.of("get", "head", "put", "post", "delete")) {
        operations += path.has(method) ? 1 : 0;
      }
    }
    return operations;
  }

  private static boolean runs(String program) {
    try {
      Process process = new ProcessBuilder(program, "--version").start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Server start(AuditLog audit) throws IOException {
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,dst_port,protocol,bytes\n");
    for (int i = 1; i < 200; i++) {
      csv.append(
          String.format(
              "2026-11-01T00:%02d:%02dZ,192.0.2.%d,198.51.100.%d,443,6,%d%n",
              i / 60, i % 60, i, i, 300 * i));
    }
    Path file = Files.writeString(folder.resolve("flows.csv"), csv);
    Path archive = folder.resolve("archive");
    CommandRun run =
        CommandRun.of(
            Flowmon.commandLine(), "import", file.toString(), "--archive", archive.toString());
    assertEquals(0, run.code(), run.err());
    return Server.start(
        new HttpServer.Settings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            List.of(),
            Tokens.NONE,
            Optional.empty(),
            audit),
        new Server.Sources(
            "flowmon test",
            Archives.open(List.of(ArchiveLocation.parse(archive.toString(), Map.of()))),
            EnrichmentConfig.NONE,
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(20),
            Optional.of(folder.resolve("views.json")),
            Optional.empty()));
  }
}
