package org.flowmon.jobs.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.Report;
import org.junit.jupiter.api.Test;

/**
 * The operator sends the messages of a model that looks back over all windows for each one,
 * whatever the order of reports, with revisions, gaps and restarts.
 */
class AlertModelTest {
  private static final int KEYS = 5;

  /** A random rule. */
  private record Rule(
      boolean absence, int need, int of, int resolve, int silence, int lateness, boolean perKey) {
    String yaml() {
      String trigger =
          absence
              ? "absent: " + 10 * need + "s\n"
              : of > 0
                  ? "at_least: " + need + " of " + of + "\n"
                  : "for: " + (10 * need - 3) + "s\n";
      return "- name: loud\n"
          + ("when: bytes > 100\n" + trigger + (perKey ? "" : absence ? "" : "key: []\n")).indent(2)
          + ("silence: " + silence * 10 + "s\nresolve_after: " + (resolve * 10 - 4) + "s\n")
              .indent(2);
    }
  }

  /** An input of the operator: a report, or a watermark if there is none. */
  private record Event(Report report, long through) {}

  @Test
  void whatIsSentIsWhatTheModelSays() throws Exception {
    int messages = 0;
    int resolved = 0;
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      Rule rule = rule(random);
      int windows = 40 + random.nextInt(80);
      Map<String, boolean[]> held = new TreeMap<>();
      List<Event> events = events(random, rule, windows, held);
      List<String> expected = new ArrayList<>();
      held.forEach((key, windowsHeld) -> expected.addAll(model(rule, key, windowsHeld)));
      String what = "seed " + seed + ": " + rule;
      List<Alert> once = run(random, rule, events, false);
      assertEquals(sorted(expected), sorted(once.stream().map(AlertRun::line).toList()), what);
      List<Alert> restarted = run(random, rule, events, true);
      LinkedHashSet<Alert> different = new LinkedHashSet<>(restarted);
      assertEquals(new LinkedHashSet<>(once), different, what + " with restarts");
      assertInOrder(once, what);
      assertInOrder(new ArrayList<>(different), what);
      messages += once.size();
      resolved +=
          (int) once.stream().filter(alert -> alert.state() == Alert.State.RESOLVED).count();
    }
    assertTrue(messages > 1500 && resolved > 200, messages + " messages, " + resolved);
  }

  private static List<String> sorted(List<String> lines) {
    List<String> sorted = new ArrayList<>(lines);
    Collections.sort(sorted);
    return sorted;
  }

  private static void assertInOrder(List<Alert> alerts, String what) {
    Map<String, Long> numbers = new HashMap<>();
    for (Alert alert : alerts) {
      assertEquals(numbers.merge(alert.id(), 1L, Long::sum), alert.number(), what);
    }
  }

  private static Rule rule(Random random) {
    boolean absence = random.nextInt(4) == 0;
    int of = !absence && random.nextBoolean() ? 1 + random.nextInt(7) : 0;
    int need = 1 + random.nextInt(of > 0 ? of : 4);
    return new Rule(
        absence,
        need,
        of,
        1 + random.nextInt(5),
        random.nextInt(9),
        random.nextInt(3),
        random.nextInt(3) > 0);
  }

  /** Returns reports in the windows' order, then mixed as far as the watermark allows. */
  private static List<Event> events(
      Random random, Rule rule, int windows, Map<String, boolean[]> held) {
    List<List<Report>> reports = new ArrayList<>();
    if (rule.absence || !rule.perKey) {
      held.put("", new boolean[windows]);
    } else {
      for (int key = 0; key < KEYS; key++) {
        held.put("10.0.0." + key, new boolean[windows]);
      }
    }
    double share = 0.5;
    for (int window = 0; window < windows; window++) {
      share = random.nextInt(10) == 0 ? random.nextDouble() : share;
      List<Report> ofWindow = new ArrayList<>();
      int[] rows = rows(random, share);
      if (window == 0 || window == windows - 1 || random.nextDouble() < 0.8) {
        if (random.nextInt(4) == 0) {
          ofWindow.add(AlertRun.report(window, 1, rows(random, share))); // replaced
        }
        ofWindow.add(AlertRun.report(window, 2, rows));
        Collections.shuffle(ofWindow, random);
      } else {
        rows = new int[0];
      }
      judge(rule, rows, window, held);
      reports.add(ofWindow);
    }
    List<Event> events = new ArrayList<>();
    int next = 0;
    for (int window = 0; window < windows; window++) {
      // Reports come up to two windows before they have to.
      int last = Math.min(windows, window + 1 + random.nextInt(3));
      List<Report> batch = new ArrayList<>();
      for (; next < last; next++) {
        batch.addAll(reports.get(next));
      }
      Collections.shuffle(batch, random);
      batch.forEach(report -> events.add(new Event(report, 0)));
      long through = AlertRun.end(window) + rule.lateness * AlertRun.SECOND;
      if (window == windows - 1 || random.nextInt(3) > 0) {
        events.add(new Event(null, through + random.nextInt(2) * AlertRun.SECOND));
      }
    }
    return events;
  }

  /** Returns each key in two rows, one of them sometimes too small, or in none. */
  private static int[] rows(Random random, double share) {
    List<Integer> rows = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      if (random.nextDouble() < share) {
        rows.add(key);
        rows.add(random.nextInt(4) == 0 ? 100 : 101);
      }
    }
    return rows.stream().mapToInt(Integer::intValue).toArray();
  }

  private static void judge(Rule rule, int[] rows, int window, Map<String, boolean[]> held) {
    boolean any = false;
    for (int i = 0; i < rows.length; i += 2) {
      boolean loud = rows[i + 1] > 100;
      any |= loud;
      if (!rule.absence && rule.perKey) {
        held.get("10.0.0." + rows[i])[window] = loud;
      }
    }
    if (rule.absence) {
      held.get("")[window] = !any;
    } else if (!rule.perKey) {
      held.get("")[window] = any;
    }
  }

  /** Returns the messages of a key, each window judged by looking back over those before it. */
  private static List<String> model(Rule rule, String key, boolean[] held) {
    List<String> lines = new ArrayList<>();
    int since = -1;
    int number = 0;
    int lastSent = Integer.MIN_VALUE / 2;
    int lastHeld = -1;
    for (int window = 0; window < held.length; window++) {
      lastHeld = held[window] ? window : lastHeld;
      boolean triggered = triggered(rule, held, window);
      if (since >= 0 && !triggered && window - lastHeld >= rule.resolve) {
        if (number > 0) {
          lines.add(line(key, number + 1, "resolved", since, window, lastHeld));
        }
        since = -1;
      } else if (since < 0 && triggered) {
        since = window;
        number = 0;
      }
      if (since >= 0 && window >= lastSent + rule.silence) {
        number++;
        lastSent = window;
        lines.add(line(key, number, "firing", since, window, lastHeld));
      }
    }
    return lines;
  }

  private static boolean triggered(Rule rule, boolean[] held, int window) {
    int count = 0;
    int of = rule.of > 0 ? rule.of : rule.need;
    for (int back = 0; back < of && window - back >= 0; back++) {
      count += held[window - back] ? 1 : 0;
    }
    return count >= rule.need;
  }

  private static String line(
      String key, int number, String state, int since, int window, int lastHeld) {
    return "%s %d %s since %d at %d held %d".formatted(key, number, state, since, window, lastHeld);
  }

  private static List<Alert> run(Random random, Rule rule, List<Event> events, boolean restarts)
      throws Exception {
    AnalysisConfig analysis = AlertRun.analysis(rule.lateness + "s", rule.yaml());
    AlertRun run = AlertRun.start(analysis);
    try {
      OperatorSubtaskState saved = null;
      int savedAt = 0;
      long checkpoint = 0;
      int left = 6;
      for (int at = 0; at < events.size(); at++) {
        Event event = events.get(at);
        if (event.report != null) {
          run.add(event.report);
        } else {
          run.complete(event.through);
        }
        if (random.nextInt(8) == 0) {
          OperatorSubtaskState state = run.snapshot(++checkpoint);
          if (random.nextInt(4) > 0) {
            saved = state;
            savedAt = at + 1;
            if (random.nextBoolean()) {
              run.checkpointCompleted(checkpoint);
            }
          }
        }
        if (restarts && saved != null && left > 0 && random.nextInt(15) == 0) {
          left--;
          AlertRun next = AlertRun.restore(run, saved, analysis);
          run.close();
          run = next;
          at = savedAt - 1;
        }
      }
      run.end();
      return run.sent();
    } finally {
      run.close();
    }
  }
}
