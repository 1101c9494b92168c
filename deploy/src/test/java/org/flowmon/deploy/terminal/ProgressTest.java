package org.flowmon.deploy.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private final long[] now = {7};

  private String said() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aLineEveryFiveSecondsNamesShareFlowsRateAndWhatIsLeft() {
    long[] done = {0};
    try (Progress progress = new Progress(Progress.Style.LINES, () -> now[0], out)) {
      progress.begin("long.log", 200, () -> done[0]);
      now[0] += 4 * SECOND;
      progress.flows(400_000);
      assertEquals("", said());
      now[0] += SECOND;
      done[0] = 50;
      progress.flows(600_000);
      progress.begin("endless", 0, () -> 0);
      now[0] += 10 * SECOND;
      progress.flows(10);
    }
    assertEquals(
        List.of("long.log: 25 %, 1,000,000 flows, 200,000/s, 15 s left", "endless: 10 flows, 1/s"),
        said().lines().toList());
  }

  @Test
  void aTerminalHasOneLineThatIsWipedInTheEndAndNobodyElseHasAny() {
    try (Progress progress = new Progress(Progress.Style.DRAWN, () -> now[0], out)) {
      progress.begin("a", 0, () -> 0);
      now[0] += SECOND;
      progress.flows(5);
    }
    assertEquals("\r\033[Ka: 5 flows, 5/s\r\033[K", said());
    bytes.reset();
    try (Progress progress = new Progress(Progress.Style.NONE, () -> now[0], out)) {
      progress.begin("a", 0, () -> 0);
      now[0] += 100 * SECOND;
      progress.flows(5);
    }
    assertEquals("", said());
  }
}
