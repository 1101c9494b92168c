package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The Python reader in the docs reads sidecars by their specification alone. Skips without Python:
 * {@code FLOWMON_PYTHON} names the interpreter, else {@code python3} is tried.
 */
class SidecarReaderScriptTest {
  @TempDir Path directory;
  private String python;

  @BeforeEach
  void findPython() throws Exception {
    String named = System.getenv("FLOWMON_PYTHON");
    python = named == null ? "python3" : named;
    boolean found;
    try {
      found = run("-c", "pass").isEmpty();
    } catch (IOException e) {
      found = false;
    }
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") != null) {
      assertTrue(found, "no " + python);
    }
    assumeTrue(found, "no " + python + "; FLOWMON_PYTHON may name another interpreter");
  }

  private List<String> run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(python, "-X", "utf8"));
    command.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(command + " does not end");
    }
    List<String> lines = Files.readAllLines(output);
    assertEquals(0, process.exitValue(), () -> String.join("\n", lines));
    return lines;
  }

  private static Path script() {
    Path here = Path.of("").toAbsolutePath();
    while (!Files.exists(here.resolve("docs/format/sidecar_reader.py"))) {
      here = here.getParent();
    }
    return here.resolve("docs/format/sidecar_reader.py");
  }

  @ParameterizedTest(name = "{0} rows, seed {1}")
  @CsvSource({"1, 51", "300, 52", "3000, 53", "20000, 54", "20000, 56"})
  void everyValueHasTheRowsThatAScanFinds(int rows, long seed) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, true).batches(rows);
    SegmentOptions options =
        rows > 10_000 ? SegmentOptions.LOOKUP : SegmentOptions.LOOKUP.withIndexed(FlowColumn.all());
    SealedSegment sealed = new SegmentWriter(options).seal(directory, batches, Provenance.NONE);
    String index = directory.resolve(sealed.indexFileName()).toString();
    List<Object[]> oracle = RowsOracle.sorted(batches);
    List<String> indexed = List.of(run(script().toString(), index).get(0).split(" ", -1));
    for (FlowColumn column : options.indexed()) {
      Map<String, List<Integer>> expected = new TreeMap<>();
      for (int row = 0; row < rows; row++) {
        Object value = oracle.get(row)[column.ordinal()];
        if (value != null) {
          expected.computeIfAbsent(json(column, value), v -> new ArrayList<>()).add(row);
        }
      }
      String id = Integer.toString(column.id());
      assertEquals(!expected.isEmpty(), indexed.contains(id), column.sqlName());
      if (!expected.isEmpty()) {
        List<String> lines = new ArrayList<>();
        expected.forEach((value, found) -> lines.add("[" + value + ", " + found + "]"));
        assertEquals(
            lines,
            run(script().toString(), index, id).stream().sorted(byValue()).toList(),
            column.sqlName() + ", seed " + seed);
      }
    }
  }

  private static java.util.Comparator<String> byValue() {
    return java.util.Comparator.comparing(line -> line.substring(1, line.lastIndexOf(", [")));
  }

  private static String json(FlowColumn column, Object value) {
    if (column.type() == ColumnType.TEXT || column.type() == ColumnType.ADDRESS) {
      return '"'
          + new String(JsonStringEncoder.getInstance().quoteAsString(value.toString()))
          + '"';
    }
    return value.toString();
  }
}
