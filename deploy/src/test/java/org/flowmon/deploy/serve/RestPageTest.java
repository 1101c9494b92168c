package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.serve.http.Contract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of docs/rest.md against a server. */
final class RestPageTest {
  private static final Path PAGE = Path.of("..", "docs", "rest.md");

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,dst_port,protocol,bytes\n");
    for (int i = 1; i <= 9; i++) {
      csv.append(
          "2026-11-01T00:00:0%dZ,10.0.0.%d,192.0.2.%d,443,6,%d\n".formatted(i, i, i, 300 * i));
    }
    server = TestServer.start(folder, TestServer.archive(folder, csv.toString()));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String example(String language) throws IOException {
    return example(language, "");
  }

  private String example(String language, String word) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n((?:(?!```).)*?" + word + ".*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertTrue(block.find(), "no example in " + language + " with " + word);
    return block.group(1).replace("127.0.0.1:8060", "127.0.0.1:" + server.server.port());
  }

  private List<String> run(String program, String option, String text) throws Exception {
    boolean isRequired = System.getenv("FLOWMON_REQUIRE_TOOLS") != null;
    assumeTrue(isRequired || has(program), program + " is missing");
    Process process = new ProcessBuilder(program, option, text).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), out);
    return out.lines().toList();
  }

  private static boolean has(String program) {
    return program.startsWith("/")
        || Path.of("/usr/bin", program).toFile().canExecute()
        || Path.of("/bin", program).toFile().canExecute();
  }

  @Test
  void theScriptAsks() throws Exception {
    String script = example("sh");
    assertEquals(5, script.lines().count(), "lines of the script");
    List<String> lines = run("bash", "-ec", script);
    JsonNode page = TestServer.JSON.readTree(lines.get(0));
    assertEquals(3, page.get("rows").size(), lines.toString());
    assertEquals("192.0.2.9", page.get("rows").get(0).get("dst_addr").asText());
    assertEquals("192.0.2.1", TestServer.JSON.readTree(lines.get(1)).get("address").asText());
    assertEquals(
        List.of("src_addr,b", "10.0.0.9,2700", "10.0.0.8,2400", "10.0.0.7,2100"),
        lines.subList(2, lines.size()));
  }

  @Test
  void theProgramInPythonAsks() throws Exception {
    List<String> lines = new ArrayList<>(run("python3", "-c", example("python")));
    lines.sort(null);
    assertEquals(6, lines.size(), lines.toString());
    assertEquals("2026-11-01T00:00:04Z 10.0.0.4 1200", lines.get(0));
  }

  @Test
  void theProgramInPythonReadsArrow() throws Exception {
    String named = System.getenv("FLOWMON_PYTHON");
    assumeTrue(named != null, "FLOWMON_PYTHON names no Python with pyarrow");
    assertEquals(
        List.of("9 ['end_time', 'src_addr', 'dst_port', 'bytes']"),
        run(named, "-c", example("python", "pyarrow")));
  }

  @Test
  void thePageNamesEveryCodeAndEveryRequest() throws Exception {
    String page = Files.readString(PAGE);
    JsonNode contract = TestServer.JSON.readTree(Contract.read().json());
    for (JsonNode code : contract.at("/components/schemas/Problem/properties/code/enum")) {
      assertTrue(page.contains('`' + code.asText() + '`'), code + " is not on the page");
    }
    Set<String> missing = new TreeSet<>();
    contract
        .get("paths")
        .fieldNames()
        .forEachRemaining(
            path -> {
              String shown =
                  path.replaceFirst("^/api/v1/", "")
                      .replace("{namespace}", "NAMESPACE")
                      .replace("{table}", "TABLE")
                      .replace("{id}", "ID")
                      .replace("{name}", "NAME")
                      .replace("{address}", "ADDRESS");
              if (!page.contains('`' + shown + '`')) {
                missing.add(shown);
              }
            });
    assertEquals(Set.of(), missing);
  }
}
