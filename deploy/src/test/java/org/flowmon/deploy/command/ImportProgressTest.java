package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ImportProgressTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void aLineEveryFiveSecondsNamesFileRowsAndRate() {
    long[] now = {7};
    List<String> lines = new ArrayList<>();
    ImportProgress progress = new ImportProgress(3, () -> now[0], lines::add);
    progress.file("short.log");
    progress.rows(10);
    progress.file("long.log");
    now[0] += 4 * SECOND;
    progress.rows(400_000);
    assertEquals(List.of(), lines);
    now[0] += SECOND;
    progress.rows(600_000);
    now[0] += SECOND;
    progress.rows(1);
    assertEquals(List.of("file 2 of 3: long.log, 1,000,000 flows so far, 200,000 flows/s"), lines);
  }
}
