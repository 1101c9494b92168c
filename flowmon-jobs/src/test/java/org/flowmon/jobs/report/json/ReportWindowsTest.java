package org.flowmon.jobs.report.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReportWindowsTest {
  private static ReportRow row(String analysis, long end, int revision, int rows, int number) {
    return new ReportRow(
        analysis, end - 10, end, revision, rows, number, "", Map.of(), Map.of(), List.of());
  }

  private static byte[] message(ReportRow row) {
    return (row.analysis() + row.windowEnd() + "/" + row.revision() + "/" + row.rowNumber())
        .getBytes(StandardCharsets.UTF_8);
  }

  private static ReportWindows.Window add(ReportWindows windows, ReportRow row) {
    return windows.add(row, message(row));
  }

  private static List<String> texts(ReportWindows.Window window) {
    List<String> texts = new ArrayList<>();
    window.messages().forEach(bytes -> texts.add(new String(bytes, StandardCharsets.UTF_8)));
    return texts;
  }

  @Test
  void ofEachWindowTheRowsOfTheHighestRevisionStayInWhateverOrderTheyCome() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      List<ReportRow> sent = new ArrayList<>();
      Map<String, List<String>> expected = new TreeMap<>();
      for (int w = 0; w < 5; w++) {
        String analysis = random.nextBoolean() ? "a" : "b";
        long end = 100L + w;
        int revision = 0;
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
          revision += 1 + random.nextInt(4);
          int rows = random.nextInt(5);
          List<String> texts = new ArrayList<>();
          // A report without rows has a message of its own.
          for (int number = Math.min(1, rows); number <= rows; number++) {
            ReportRow row = row(analysis, end, revision, rows, number);
            sent.add(row);
            if (random.nextInt(3) == 0) {
              sent.add(row); // at least once
            }
            texts.add(new String(message(row), StandardCharsets.UTF_8));
          }
          expected.put(analysis + end, texts);
        }
      }
      Collections.shuffle(sent, random);
      ReportWindows windows = new ReportWindows(10);
      sent.forEach(row -> add(windows, row));
      Map<String, List<String>> found = new TreeMap<>();
      for (ReportWindows.Window window : windows.waiting()) {
        assertTrue(window.isComplete(), "seed " + seed);
        found.put(window.analysis() + window.end(), texts(window));
      }
      assertEquals(expected, found, "seed " + seed);
    }
  }

  @Test
  void aReportIsAnUpdateWhereAnEarlierOneOfItsWindowCameBeforeOrAfter() {
    ReportWindows windows = new ReportWindows(2);
    assertFalse(add(windows, row("once", 1, 7, 1, 1)).isUpdated(), "results come once");
    assertFalse(add(windows, row("history", 1, 5, 1, 1)).isUpdated());
    assertFalse(add(windows, row("history", 1, 7, 1, 1)).isUpdated(), "of more history only");
    assertFalse(add(windows, row("order", 1, 3, 1, 1)).isUpdated());
    assertTrue(add(windows, row("order", 1, 7, 1, 1)).isUpdated());
    ReportWindows.Window last = add(windows, row("late", 1, 11, 1, 1));
    assertNull(add(windows, row("late", 1, 7, 1, 1)));
    assertTrue(last.isUpdated(), "of another partition");
    windows.take(add(windows, row("taken", 1, 3, 1, 1)));
    assertTrue(add(windows, row("taken", 1, 7, 1, 1)).isUpdated());
  }

  @Test
  void whatWasTakenComesAgainOnlyWithAHigherRevision() {
    ReportWindows windows = new ReportWindows(2);
    ReportWindows.Window first = add(windows, row("a", 1, 3, 2, 2));
    assertFalse(first.isComplete());
    add(windows, row("a", 1, 3, 2, 1));
    assertTrue(first.isComplete());
    windows.take(first);
    assertEquals(List.of(), windows.waiting());
    assertNull(add(windows, row("a", 1, 3, 2, 1)), "a repeat");
    assertNull(add(windows, row("a", 1, 2, 2, 1)), "of a lower revision");
    ReportWindows.Window second = add(windows, row("a", 1, 7, 1, 1));
    assertTrue(second.isComplete());
    assertEquals(7, second.revision());
    windows.take(second);
    windows.take(add(windows, row("a", 2, 3, 1, 1)));
    assertNull(add(windows, row("a", 1, 7, 1, 1)), "two are remembered");
    windows.take(add(windows, row("a", 3, 3, 1, 1)));
    assertNotNull(add(windows, row("a", 1, 7, 1, 1)), "the third is not");
  }

  @Test
  void aRepeatOfFewerRowsReplacesTheOnesThatItLacks() {
    ReportWindows windows = new ReportWindows(2);
    for (int number = 1; number <= 3; number++) {
      add(windows, row("a", 1, 2, 3, number));
    }
    ReportWindows.Window window = add(windows, row("a", 1, 2, 2, 1));
    assertTrue(window.isComplete());
    assertEquals(List.of("a1/2/1", "a1/2/2"), texts(window));
  }

  @Test
  void aReportThatLostItsRowsReplacesThemAndIsAnUpdate() {
    ReportWindows windows = new ReportWindows(2);
    add(windows, row("a", 1, 3, 2, 1));
    ReportWindows.Window window = add(windows, row("a", 1, 7, 0, 0));
    assertTrue(window.isComplete() && window.isUpdated());
    assertEquals(List.of("a1/7/0"), texts(window));
    assertNull(add(windows, row("a", 1, 3, 2, 2)));
    assertTrue(add(windows, row("b", 1, 3, 0, 0)).isComplete());
    assertTrue(add(windows, row("b", 1, 7, 1, 1)).isUpdated());
    assertEquals(List.of("b1/7/1"), texts(add(windows, row("b", 1, 7, 1, 1))));
  }

  @Test
  void windowsWithoutRowsAreNoneOfTheLastOnesAndStayAsFarAsTheseReach() {
    ReportWindows windows = new ReportWindows(2);
    for (long end = 1; end <= 9; end++) {
      add(windows, row("a", end, 3, end % 3 == 0 ? 1 : 0, end % 3 == 0 ? 1 : 0));
    }
    assertTrue(windows.keepLast(2));
    List<Long> kept = new ArrayList<>();
    windows.waiting().forEach(window -> kept.add(window.end()));
    assertEquals(List.of(6L, 7L, 8L, 9L), kept);
  }

  @Test
  void theLastWindowsOfEachAnalysisAreKept() {
    ReportWindows windows = new ReportWindows(2);
    for (long end = 1; end <= 5; end++) {
      add(windows, row("a", 6 - end, 3, 1, 1));
    }
    add(windows, row("b", 1, 3, 1, 1));
    assertFalse(windows.keepLast(5));
    assertTrue(windows.keepLast(2));
    List<String> kept = new ArrayList<>();
    windows.waiting().forEach(window -> kept.add(window.analysis() + window.end()));
    Collections.sort(kept);
    assertEquals(List.of("a4", "a5", "b1"), kept);
    assertTrue(windows.keepLast(0));
    assertEquals(List.of(), windows.waiting());
  }
}
