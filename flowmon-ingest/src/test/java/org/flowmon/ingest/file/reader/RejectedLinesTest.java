package org.flowmon.ingest.file.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.ingest.file.format.RejectReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RejectedLinesTest {
  private static final Path FILE = Path.of("flows.csv");

  @TempDir Path directory;

  private static void reject(RejectedLines lines, long line, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    lines.add(FILE, line, RejectReason.MISSING_TIME, "", bytes, 0, bytes.length, false);
  }

  @Test
  void theFirstAreKeptAndTheOthersCountedAndSaid() throws IOException {
    Path file = directory.resolve("lines.jsonl");
    try (RejectedLines lines = RejectedLines.to(file, 3, 1000, () -> {})) {
      for (int line = 1; line <= 10; line++) {
        reject(lines, line, "line " + line);
      }
      assertEquals(10, lines.total());
      assertEquals(7, lines.onlyCounted());
    }
    List<String> kept = Files.readAllLines(file);
    assertEquals(4, kept.size());
    for (int line = 1; line <= 3; line++) {
      assertTrue(kept.get(line - 1).contains("\"raw\":\"line " + line + "\""), kept.toString());
    }
    assertEquals("{\"only_counted\":7}", kept.get(3));
  }

  @Test
  void noLineIsKeptBehindOneThatDidNotFit() throws IOException {
    Path file = directory.resolve("bytes.jsonl");
    try (RejectedLines lines = RejectedLines.to(file, 100, 20, () -> {})) {
      reject(lines, 1, "0123456789");
      reject(lines, 2, "0123456789a");
      reject(lines, 3, "0");
      assertEquals(2, lines.onlyCounted());
    }
    List<String> kept = Files.readAllLines(file);
    assertEquals(2, kept.size());
    assertEquals("{\"only_counted\":2}", kept.get(1));
  }

  @Test
  void whatIsSaidOfALineCountsAsItsBytesDo() throws IOException {
    Path file = directory.resolve("details.jsonl");
    byte[] line = "x01234567".getBytes(StandardCharsets.UTF_8);
    try (RejectedLines lines = RejectedLines.to(file, 100, 24, () -> {})) {
      for (int number = 1; number <= 3; number++) {
        // 8 bytes and 2 more: two lines fit in 24 bytes; without the 2, three would fit.
        lines.add(FILE, number, RejectReason.MISSING_TIME, "ab", line, 1, line.length, false);
      }
      assertEquals(1, lines.onlyCounted());
    }
    assertEquals(3, Files.readAllLines(file).size());
  }

  @Test
  void rejectingEndsWhereTheCheckThrows() throws IOException {
    boolean[] stopped = new boolean[1];
    Runnable check =
        () -> {
          if (stopped[0]) {
            throw new IllegalStateException("interrupted");
          }
        };
    for (boolean keeps : new boolean[] {true, false}) {
      stopped[0] = false;
      Path file = directory.resolve("checked.jsonl");
      try (RejectedLines lines = RejectedLines.to(file, keeps ? 1_000_000 : 0, 1 << 30, check)) {
        reject(lines, 1, "first");
        stopped[0] = true;
        assertThrows(
            IllegalStateException.class,
            () -> {
              for (int line = 2; line <= 100_000; line++) {
                reject(lines, line, "more");
              }
            });
        assertTrue(lines.total() < 5000, lines.total() + " lines");
      }
    }
  }
}
