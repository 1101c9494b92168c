package org.flowmon.bench.growth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.flowmon.bench.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestGrowthTest {
  @TempDir Path folder;

  /** The measured step itself checks that a query reads one segment, and that segments expire. */
  @Test
  void commitsQueriesExpiresAndOpensWithAnyNumberOfSegments() throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      String plot = "--plot=" + folder.resolve("plot.svg");
      assertEquals(
          0,
          Bench.commandLine()
              .execute("archive", "manifest", "--quick", "--rounds=2", "--json", plot));
    } finally {
      System.setOut(before);
    }
    JsonNode result = new ObjectMapper().readTree(printed.toString(StandardCharsets.UTF_8));
    assertEquals("[200,2000]", result.findValuesAsText("segments").toString().replace(" ", ""));
    result
        .findValuesAsText("bytes_of_a_segment")
        .forEach(bytes -> assertEquals(200, Double.parseDouble(bytes), 40));
  }
}
