package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All memory of a query is charged before it is allocated. */
class SmallHeapTest {
  private static final long SEED = 19;
  private static final int ROWS = 400_000;
  private static final int SEGMENT_ROWS = 100_000;
  private static final int TEXTS = 60_000;
  private static final int TEXT_LENGTH = 500;
  private static final String HEAP = "-Xmx64m";

  @TempDir Path directory;

  @Test
  void aQueryThatWouldExhaustASmallHeapIsRefusedAndTheNextOneIsAnswered() throws Exception {
    fill();
    int threads = 2;
    List<String> lines = run(threads);
    int refused = 2 * SmallHeapQueries.TOO_LARGE.size();
    assertEquals(refused + SmallHeapQueries.STREAMED.size(), lines.size(), lines::toString);
    assertEquals(
        List.of("streamed " + ROWS, "streamed " + ROWS, "streamed 350000"),
        lines.subList(refused, lines.size()));
    for (int q = 0; q < SmallHeapQueries.TOO_LARGE.size(); q++) {
      String context =
          threads + " threads, " + SmallHeapQueries.TOO_LARGE.get(q) + ": " + lines.get(2 * q);
      assertTrue(lines.get(2 * q).startsWith(q + " refused: the query"), context);
      assertEquals("small answered: 1 rows", lines.get(2 * q + 1), context);
    }
  }

  private void fill() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      for (int from = 0; from < ROWS; from += SEGMENT_ROWS) {
        List<FlowBatch> batches = new ArrayList<>();
        FlowBatchBuilder builder = new FlowBatchBuilder(1000);
        for (int row = from; row < from + SEGMENT_ROWS; row++) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, Traffic.BEGIN + row * 1000L);
          builder.set(FlowColumn.END_TIME, Traffic.BEGIN + row * 1000L);
          builder.setAddress(
              FlowColumn.SRC_ADDR, new IpAddress(0x2001_0db8L << 32, random.nextInt(100_000)));
          builder.setAddress(FlowColumn.DST_ADDR, IpAddress.ofIpv4(random.nextInt()));
          builder.set(FlowColumn.PROTOCOL, 6);
          builder.set(FlowColumn.SRC_PORT, random.nextInt(65_536));
          builder.set(FlowColumn.BYTES, random.nextLong(1L << 50));
          builder.setText(FlowColumn.UID, text(random.nextInt(TEXTS)));
          builder.endRow();
          if (builder.isFull() || row == from + SEGMENT_ROWS - 1) {
            batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
            builder.clear();
          }
        }
        Traffic.commit(archive, batches);
      }
    }
  }

  private static String text(int number) {
    String digits = Integer.toString(number);
    return digits + "x".repeat(TEXT_LENGTH - digits.length());
  }

  private List<String> run(int threads) throws IOException, InterruptedException {
    Path log = directory.resolve("queries.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeapQueries.class.getName(),
                directory.toString(),
                Integer.toString(threads))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), "queries take more than five minutes");
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(log, StandardCharsets.UTF_8);
  }
}
