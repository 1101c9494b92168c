package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Named versions of other readers see every sealed value in segments of all codecs, and find all
 * rows by filters, for which they use the statistics. They run in Python: the folder {@code
 * FLOWMON_READERS} holds a virtual environment for each, which {@code .ci/run} makes. Skips if
 * there is none.
 */
class OtherReadersTest {
  private static final List<String> OPTIONS =
      List.of("lookup", "compact", "compact codec=lz4 page=4096", "compact codec=none page=4096");

  /** Columns to filter by; each query costs Spark a tenth of a second. */
  private static final Set<FlowColumn> FILTERED =
      Set.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.DST_PORT,
          FlowColumn.BYTES,
          FlowColumn.DURATION,
          FlowColumn.SERVICE);

  private static final String[] ADDRESSES = {
    "9.0.0.1", "10.0.0.1", "10.0.0.1", "100.0.0.1", "2001:db8::1", "::1", "255.255.255.255"
  };

  @TempDir Path directory;
  private final List<String> questions = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({
    "old, duckdb, 1.1.3",
    "new, duckdb, 1.4.3",
    "old, pyarrow, 18.1.0",
    "new, pyarrow, 26.0.1",
    "spark, spark, 3.5.9"
  })
  void everyValueIsReadAndEveryFilterFindsItsRows(String environment, String tool, String version)
      throws Exception {
    Path python = python(environment);
    long seed = 61;
    for (String options : OPTIONS) {
      SegmentWriter writer = new SegmentWriter(SegmentOptions.parse(options));
      for (int rows : new int[] {1, 3000}) {
        ask(writer, new RandomFlows(seed, seed % 2 == 0).batches(rows));
        seed++;
      }
      ask(writer, List.of(addresses()));
    }
    answers.add(0, version);
    String at = tool + " " + version + ", seeds 61 to " + (seed - 1);
    assertEquals(String.join("\n", answers), answered(python, tool, at), at);
  }

  private static Path python(String environment) {
    String readers = System.getenv("FLOWMON_READERS");
    String why = "no other readers: FLOWMON_READERS names no folder with " + environment;
    Path python = readers == null ? null : Path.of(readers, environment, "bin", "python");
    boolean isThere = python != null && Files.exists(python);
    if (System.getenv("FLOWMON_REQUIRE_TOOLS") != null) {
      assertTrue(isThere, why);
    }
    assumeTrue(isThere, why);
    return python;
  }

  /** Addresses whose order as text is not that of their numbers, and numbers above 2^31. */
  private static FlowBatch addresses() {
    FlowBatchBuilder builder = new FlowBatchBuilder(ADDRESSES.length);
    for (int i = 0; i < ADDRESSES.length; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, i);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(ADDRESSES[i]));
      builder.set(FlowColumn.SRC_AS, 0xFFFF_FFFFL - i);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, 0, 0));
  }

  /** Seals flows and reads all of them, and some by a filter on each column. */
  private void ask(SegmentWriter writer, List<FlowBatch> flows) throws IOException {
    SealedSegment sealed = writer.seal(directory, flows, Provenance.NONE);
    String file = directory.resolve(sealed.fileName()).toString();
    List<Object[]> rows = RowsOracle.sorted(flows);
    for (FlowColumn column : FlowColumn.all()) {
      List<Object> all = rows.stream().map(r -> r[column.ordinal()]).toList();
      List<Object> values = all.stream().filter(Objects::nonNull).toList();
      if (values.isEmpty()) {
        continue; // not in the file
      }
      String name = column.sqlName();
      String kind = column.type() == ColumnType.TIMESTAMP ? "time" : "value";
      questions.add(String.join("\t", file, name, "dump", kind));
      for (Object value : all) {
        answers.add(sealed.fileName() + " " + name + (value == null ? " null" : " =" + value));
      }
      if (!FILTERED.contains(column) || rows.size() == 1) {
        continue;
      }
      filter(sealed, file, name, "IS", "NULL", all.size() - values.size());
      Object some = values.get(values.size() / 2);
      if (column.type() == ColumnType.ADDRESS || column.type() == ColumnType.TEXT) {
        String text = some.toString();
        compare(sealed, file, name, "'" + text + "'", values, v -> v.toString().compareTo(text));
      } else {
        compare(
            sealed, file, name, some.toString(), values, v -> Long.compare((Long) v, (Long) some));
      }
    }
    if (rows.size() == ADDRESSES.length) {
      for (String address : List.of(ADDRESSES[0], ADDRESSES[1], ADDRESSES[4])) {
        compare(
            sealed,
            file,
            "src_addr",
            "'" + address + "'",
            List.of((Object[]) ADDRESSES),
            v -> v.toString().compareTo(address));
      }
    }
  }

  private interface Order {
    int of(Object value);
  }

  private void compare(
      SealedSegment sealed,
      String file,
      String column,
      String literal,
      List<Object> values,
      Order order) {
    filter(sealed, file, column, "=", literal, count(values, v -> order.of(v) == 0));
    filter(sealed, file, column, ">=", literal, count(values, v -> order.of(v) >= 0));
    filter(sealed, file, column, "<", literal, count(values, v -> order.of(v) < 0));
  }

  private static long count(List<Object> values, Predicate<Object> which) {
    return values.stream().filter(which).count();
  }

  private void filter(
      SealedSegment sealed, String file, String column, String operator, String value, long rows) {
    questions.add(String.join("\t", file, column, operator, value));
    answers.add(String.format("%s %s %s %s: %d", sealed.fileName(), column, operator, value, rows));
  }

  private String answered(Path python, String tool, String at) throws Exception {
    Path script = Path.of(OtherReadersTest.class.getResource("/other_readers.py").toURI());
    Path input = Files.write(directory.resolve("questions"), questions);
    Path output = directory.resolve("answers");
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(python.toString(), "-X", "utf8", script.toString(), tool)
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError(at + " does not end");
    }
    assertEquals(0, process.exitValue(), () -> at + ": " + read(errors));
    return read(output).strip();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
