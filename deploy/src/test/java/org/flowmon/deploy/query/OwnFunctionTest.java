package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.flowmon.deploy.export.ExportedFlows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The function of docs/examples/udaf, changed, in a process of its own that finds it. */
class OwnFunctionTest {
  @TempDir private Path folder;

  private String answer(String extractor) throws Exception {
    Path example = Path.of("..", "docs", "examples", "udaf");
    String source = Files.readString(example.resolve("BitsSeen.java"));
    String changed = source.replace("state -> Value.ofLong(((High) state).bits)", extractor);
    assertEquals(extractor.contains("High"), source.equals(changed), "the extractor is changed");
    Path made = Files.createTempDirectory(folder, "made");
    Path file = Files.writeString(made.resolve("BitsSeen.java"), changed);
    String classPath = System.getProperty("java.class.path");
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", made.toString(), file.toString()));
    Path services = Files.createDirectories(made.resolve("META-INF/services"));
    String name = "org.flowmon.udaf.function.Udaf";
    Files.copy(example.resolve("META-INF/services").resolve(name), services.resolve(name));
    Path archive = ExportedFlows.archive(made.resolve("archive"), 1, 50, false);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath + File.pathSeparator + made,
                "org.flowmon.deploy.Flowmon",
                "query",
                "SELECT COUNT(*) AS n, BITS(BITS_SEEN(COALESCE(protocol, 7))) IS NULL AS none,"
                    + " UPPER(BITS(BITS_SEEN(COALESCE(protocol, 7)))) AS bits FROM flows",
                "--archive",
                archive.toString(),
                "--format",
                "json")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said.replaceAll("\\s", "").replaceFirst("\"bits\":\\d+", "\"bits\":…");
  }

  @Test
  void anAnswerThatAFunctionLeavesOutIsNull() throws Exception {
    assertEquals(
        "[{\"n\":50,\"none\":false,\"bits\":…}]",
        answer("state -> Value.ofLong(((High) state).bits)"));
    assertEquals("[{\"n\":50,\"none\":true,\"bits\":null}]", answer("state -> null"));
  }
}
