package org.flowmon.deploy.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.flowmon.ingest.text.ShownText;
import org.junit.jupiter.api.Test;

class TerminalStreamTest {
  /** One code point of each misleading kind. */
  private static final int[] HARMFUL = {
    0, 7, 8, '\n', '\r', '\t', 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xAD, 0x61C, 0x200B, 0x200E,
    0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2066, 0x2067, 0x2068,
    0x2069, 0xFEFF, 0xE0001, 0xE0041
  };

  @Test
  void aStreamLetsNothingHarmfulThroughInWhateverPiecesItComes() throws Exception {
    StringBuilder all = new StringBuilder();
    for (int codePoint : HARMFUL) {
      if (codePoint != '\n' && codePoint != '\t') {
        all.append("x€").append(Character.toString(codePoint)).append("😀\r\n");
      }
    }
    String expected = all.toString().lines().map(ShownText::of).reduce("", (a, b) -> a + b + "|");
    long seed = 12;
    Random random = new Random(seed);
    byte[] bytes = all.toString().getBytes(StandardCharsets.UTF_8);
    for (int run = 0; run < 200; run++) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      TerminalStream stream =
          new TerminalStream(new PrintStream(out, false, StandardCharsets.UTF_8), false);
      for (int at = 0; at < bytes.length; ) {
        int piece = Math.min(bytes.length - at, 1 + random.nextInt(7));
        stream.write(bytes, at, piece);
        at += piece;
      }
      stream.flush();
      // For lines() a single carriage return ends a line; the stream shows it within its line.
      assertEquals(
          expected.replace("x€|😀|", "x€\\x0d😀|"),
          out.toString(StandardCharsets.UTF_8).replace("\r\n", "|"),
          "seed " + seed + ", run " + run);
    }
  }

  @Test
  void bytesThatAreNoTextAreShownOneByOneAndNoneIsLost() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TerminalStream stream =
        new TerminalStream(new PrintStream(out, false, StandardCharsets.UTF_8), true);
    int[] given = {
      'a', 0x9B, 0xC0, 0xAF, 0xE2, 0x80, '[', 0xED, 0xA0, 0x80, 0xF4, 0xB0, 0x80, 0x80
    };
    for (int b : given) {
      stream.write(b);
    }
    stream.write(0xE2);
    stream.close();
    assertEquals(
        "a\\x9b\\xc0\\xaf\\xe2\\x80[\\xed\\xa0\\x80\\xf4\\xb0\\x80\\x80\\xe2",
        out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void exactBytesGoToProgramsAndNeverToATerminal() {
    for (boolean terminal : new boolean[] {false, true}) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      TerminalStream stream =
          new TerminalStream(new PrintStream(out, true, StandardCharsets.UTF_8), terminal);
      PrintWriter csv =
          new PrintWriter(TerminalStream.exact(stream), false, StandardCharsets.UTF_8);
      csv.print("\u001b[2J\r\n");
      csv.flush();
      assertEquals(
          terminal ? "\\x1b[2J\r\n" : "\u001b[2J\r\n", out.toString(StandardCharsets.UTF_8));
    }
  }
}
