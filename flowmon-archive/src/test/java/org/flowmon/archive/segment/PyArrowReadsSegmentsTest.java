package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * pyarrow, with page checksums verified, sees the sealed values in a segment. Skips if there is no
 * Python with pyarrow: {@code FLOWMON_PYTHON} names the interpreter, else {@code python3} is tried.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "lookup",
      "compact",
      "compact codec=lz4 page=4096 split=true",
      "compact codec=none page=4096 split=true"
    })
class PyArrowReadsSegmentsTest {
  @Parameter String options;

  private static final String SCRIPT =
      """
      import sys, pyarrow as pa, pyarrow.parquet as pq
      table = pq.ParquetFile(sys.argv[1], page_checksum_verification=True).read()
      for name in table.column_names:
          column = table.column(name)
          if pa.types.is_timestamp(column.type) or pa.types.is_boolean(column.type):
              column = column.cast(pa.int64())
          lines = ['%s null\\n' % name if value is None else '%s =%s\\n' % (name, value) for value in column.to_pylist()]
          sys.stdout.write(''.join(lines))
      """;

  @TempDir Path directory;
  private String python;

  @BeforeEach
  void findPyArrow() throws Exception {
    String named = System.getenv("FLOWMON_PYTHON");
    python = named == null ? "python3" : named;
    boolean found;
    try {
      found = run(directory.resolve("found"), "-c", "import pyarrow") == 0;
    } catch (IOException e) {
      found = false;
    }
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") != null) {
      assertTrue(found, "no pyarrow in " + python);
    }
    assumeTrue(found, "no pyarrow in " + python + "; FLOWMON_PYTHON may name another interpreter");
  }

  private int run(Path output, String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of(python));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(command + " does not end");
    }
    return process.exitValue();
  }

  @ParameterizedTest(name = "{0} rows, seed {1}, IPv6 {2}")
  @CsvSource({"1, 1, true", "9, 5, true", "1000, 9, false", "6000, 12, true"})
  void everyValueIsTheSameInTheSameOrder(int rows, long seed, boolean ipv6) throws Exception {
    List<FlowBatch> batches = new RandomFlows(seed, ipv6).batches(rows);
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options)).seal(directory, batches, Provenance.NONE);
    StringBuilder expected = new StringBuilder();
    List<Object[]> oracle = RowsOracle.sorted(batches);
    for (FlowColumn column : FlowColumn.all()) {
      if (oracle.stream().anyMatch(r -> r[column.ordinal()] != null)) {
        for (Object[] row : oracle) {
          Object value = row[column.ordinal()];
          expected.append(column.sqlName()).append(value == null ? " null\n" : " =" + value + "\n");
        }
      }
    }
    Path output = directory.resolve("output");
    Path script = Files.writeString(directory.resolve("read.py"), SCRIPT);
    int exit =
        run(
            output,
            "-X",
            "utf8",
            script.toString(),
            directory.resolve(sealed.fileName()).toString());
    assertEquals(0, exit, () -> read(output));
    assertEquals(expected.toString(), read(output), "seed " + seed);
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
