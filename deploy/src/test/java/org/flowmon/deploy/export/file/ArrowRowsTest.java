package org.flowmon.deploy.export.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.flowmon.deploy.ArrowCells;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrow's own reader, and pyarrow, see the values that were written. */
final class ArrowRowsTest {
  private static final int SEEDS = 12 * Integer.getInteger("flowmon.test.times", 1);

  private static final String SCRIPT =
      """
      import sys, pyarrow as pa
      table = pa.ipc.open_stream(sys.argv[1]).read_all()
      table.validate(full=True)
      for name in table.column_names:
          column = table.column(name)
          if pa.types.is_temporal(column.type):
              assert str(column.type) in ('timestamp[us, tz=UTC]', 'duration[us]'), column.type
              column = column.cast(pa.int64())
          for value in column.to_pylist():
              if isinstance(value, bool):
                  value = str(value).lower()
              elif isinstance(value, float):
                  value = value.hex()
              sys.stdout.write('null\\n' if value is None else '=%s\\n' % value)
      """;

  @TempDir Path folder;

  private static byte[] write(RandomExportRows rows) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (StreamTarget target = new StreamTarget(out, ExportFormat.ARROW)) {
      target.begin(rows.columns());
      while (rows.next()) {
        target.write(rows);
      }
      target.finish();
    }
    return out.toByteArray();
  }

  private static int rows(long seed) {
    return seed == 1 ? 0 : seed == 2 ? 1 : (int) (seed * 977 % 4000);
  }

  private static List<Integer> assertRead(RandomExportRows written, byte[] stream, String what)
      throws IOException {
    List<Integer> batches = new ArrayList<>();
    List<List<String>> found = new ArrayList<>();
    written.columns().forEach(column -> found.add(new ArrayList<>()));
    try (BufferAllocator memory = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(stream), memory)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      while (reader.loadNextBatch()) {
        batches.add(root.getRowCount());
        for (int c = 0; c < found.size(); c++) {
          FieldVector vector = root.getVector(c);
          assertEquals(written.columns().get(c).name(), vector.getName());
          for (int row = 0; row < root.getRowCount(); row++) {
            found.get(c).add(ArrowCells.text(vector, row));
          }
        }
      }
      assertEquals(stream.length, reader.bytesRead(), what + ": bytes after the end");
    }
    assertEquals(written.expected, found, what);
    return batches;
  }

  @Test
  void arrowReadsTheValuesWritten() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      RandomExportRows rows = new RandomExportRows(seed, rows(seed), 12);
      byte[] stream = write(rows);
      List<Integer> batches = assertRead(rows, stream, "seed " + seed);
      assertFalse(batches.contains(0), "seed " + seed);
    }
  }

  @Test
  void batchesAreBoundedByBytes() throws Exception {
    RandomExportRows rows = new RandomExportRows(3, 40_000, 200);
    byte[] stream = write(rows);
    List<Integer> batches = assertRead(rows, stream, "seed 3");
    assertTrue(batches.size() > 3, batches.toString());
    double each = (double) stream.length / 40_000;
    for (int batch : batches) {
      assertTrue(batch * each < 1.5 * ArrowRows.BATCH_BYTES, batches.toString());
    }
  }

  @Test
  void aStreamCutOffIsNoStream() throws Exception {
    RandomExportRows rows = new RandomExportRows(4, 3000, 40);
    byte[] stream = write(rows);
    for (int length : List.of(stream.length / 3, stream.length / 2, stream.length - 9)) {
      assertThrows(
          IOException.class,
          () -> assertRead(rows, Arrays.copyOf(stream, length), "cut at " + length),
          "cut at " + length);
    }
  }

  @Test
  void pyArrowReadsTheValuesWritten() throws Exception {
    String named = System.getenv("FLOWMON_PYTHON");
    String python = named == null ? "python3" : named;
    boolean isThere = run(python, folder.resolve("found"), "-c", "import pyarrow") == 0;
    assertTrue(isThere || System.getenv("FLOWMON_REQUIRE_TOOLS") == null, "no pyarrow: " + python);
    assumeTrue(
        isThere, "no pyarrow in " + python + "; FLOWMON_PYTHON may name another interpreter");
    Path script = Files.writeString(folder.resolve("read.py"), SCRIPT);
    for (long seed : new long[] {1, 2, 5, 6, 7}) {
      RandomExportRows rows = new RandomExportRows(seed, rows(seed), 12);
      Path file = Files.write(folder.resolve(seed + ".arrows"), write(rows));
      StringBuilder expected = new StringBuilder();
      for (int c = 0; c < rows.columns().size(); c++) {
        boolean isDouble = rows.columns().get(c).name().endsWith("DOUBLE");
        for (String cell : rows.expected.get(c)) {
          expected.append(cell == null ? "null" : "=" + (isDouble ? hex(cell) : cell)).append('\n');
        }
      }
      Path output = folder.resolve("output");
      int exit = run(python, output, "-X", "utf8", script.toString(), file.toString());
      assertEquals(0, exit, () -> read(output));
      assertEquals(expected.toString(), read(output), "seed " + seed);
    }
  }

  /** As Python writes it. */
  private static String hex(String number) {
    String text = Double.toHexString(Double.parseDouble(number));
    int point = text.indexOf('.') + 1;
    int exponent = text.indexOf('p');
    String digits = text.substring(point, exponent);
    String power = text.substring(exponent + 1);
    return text.substring(0, point)
        + digits
        + "0".repeat(13 - digits.length())
        + 'p'
        + (power.startsWith("-") ? power : "+" + power);
  }

  private static int run(String python, Path output, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(python));
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

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
