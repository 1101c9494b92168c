package org.flowmon.ingest.file.line;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineReaderTest {
  /** Returns a random number of bytes at a time. */
  private static final class Dripping extends InputStream {
    private final ByteArrayInputStream in;
    private final Random random;

    Dripping(byte[] bytes, Random random) {
      this.in = new ByteArrayInputStream(bytes);
      this.random = random;
    }

    @Override
    public int read() {
      return in.read();
    }

    @Override
    public int read(byte[] to, int at, int length) {
      return in.read(to, at, Math.min(length, 1 + random.nextInt(200_000)));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void linesOfAnyLengthComeInOrderAndTooLongOnesAreCut(long seed) throws IOException {
    Random random = new Random(seed);
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int max = random.nextInt(6) == 0 ? 3 * LineReader.MAX_LINE_BYTES : 100_000;
      String line = Integer.toString(i).repeat(random.nextInt(max) / 2);
      expected.add(
          line.length() > LineReader.MAX_LINE_BYTES
              ? line.substring(0, LineReader.MAX_LINE_BYTES) + "…"
              : line);
      log.write((line + (i == 59 ? "" : "\n")).getBytes(StandardCharsets.UTF_8));
    }
    if (expected.get(59).isEmpty()) {
      expected.remove(59); // the end of the stream is no line
    }
    List<String> lines = new ArrayList<>();
    try (LineReader reader = new LineReader(new Dripping(log.toByteArray(), random))) {
      while (reader.next()) {
        Line line = reader.line();
        String text =
            new String(line.bytes(), line.from(), line.to() - line.from(), StandardCharsets.UTF_8);
        lines.add(text + (line.isTooLong() ? "…" : ""));
        assertEquals(lines.size(), line.number());
      }
    }
    assertEquals(expected.size(), lines.size(), "seed " + seed);
    for (int i = 0; i < lines.size(); i++) {
      assertEquals(expected.get(i), lines.get(i), "seed " + seed + ", line " + (i + 1));
    }
  }
}
