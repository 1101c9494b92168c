package org.flowmon.jobs.alert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.flowmon.jobs.alert.AlertRun.analysis;
import static org.flowmon.jobs.alert.AlertRun.end;
import static org.flowmon.jobs.alert.AlertRun.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;

/** When alerts go out, and what restarts keep. */
class AlertOperatorTest {
  private static final AnalysisConfig LOUD =
      analysis("0s", "- {name: loud, when: bytes > 100, silence: 1h}");

  @Test
  void nothingIsSentBeforeACheckpointHoldsIt() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      assertEquals(List.of(), run.lines());
      var unused = run.snapshot(1);
      assertEquals(List.of(), run.lines());
      run.add(report(2, 3, 8, 500));
      run.completeWindow(2);
      run.checkpointCompleted(1);
      assertEquals(List.of("10.0.0.7 1 firing since 1 at 1 held 1"), run.lines());
      unused = run.snapshot(2); // never completes
      unused = run.snapshot(3);
      run.checkpointCompleted(3);
      assertEquals(
          List.of(
              "10.0.0.7 1 firing since 1 at 1 held 1",
              "10.0.0.7 2 resolved since 1 at 2 held 1",
              "10.0.0.8 1 firing since 2 at 2 held 2"),
          run.lines());
    }
  }

  @Test
  void whatNoCheckpointHeldIsDecidedAnewAndNobodyWasTold() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      OperatorSubtaskState before = run.snapshot(1);
      run.checkpointCompleted(1);
      run.add(report(1, 1, 7, 500));
      run.completeWindow(1);
      try (AlertRun again = AlertRun.restore(run, before, LOUD)) {
        again.add(report(1, 3, 7, 50)); // with its history this time
        again.completeWindow(1);
        again.end();
        assertEquals(List.of(), again.lines());
      }
    }
  }

  @Test
  void whatACheckpointHeldIsToldOnceMoreAfterARestart() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.add(report(2, 3, 7, 600)); // waits for its watermark
      OperatorSubtaskState state = run.snapshot(1);
      run.checkpointCompleted(1);
      try (AlertRun again = AlertRun.restore(run, state, LOUD)) {
        again.completeWindow(3);
        List<Alert> sent = List.copyOf(again.sent());
        assertEquals(2, sent.size());
        assertEquals(sent.get(0), sent.get(1));
        again.end();
        assertEquals("10.0.0.7 2 resolved since 1 at 3 held 2", again.lines().get(2));
        assertEquals("{\"src_addr\":\"10.0.0.7\",\"bytes\":600}", again.sent().get(2).columns());
        assertEquals(3, again.sent().size());
      }
    }
  }

  @Test
  void theHighestRevisionOfAWindowIsJudgedAndLateOnesAreNot() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.add(report(1, 2, 8, 500));
      run.add(report(1, 3, 9, 500)); // as good, and later
      run.completeWindow(1);
      run.add(report(1, 3, 1, 500));
      run.completeWindow(2);
      run.end();
      assertEquals(
          List.of(
              "10.0.0.9 1 firing since 1 at 1 held 1", "10.0.0.9 2 resolved since 1 at 2 held 1"),
          run.lines());
      assertEquals(3, run.sent().get(0).revision());
    }
  }

  @Test
  void reportsOfWindowsInAnyOrderAreJudgedInTheOrderOfTheWindows() throws Exception {
    AnalysisConfig three = analysis("5s", "- {name: loud, when: bytes > 100, for: 30s}");
    try (AlertRun run = AlertRun.start(three)) {
      for (int window : new int[] {3, 1, 4, 2}) {
        run.add(report(window, 3, 7, 500));
      }
      run.complete(end(3) + 4 * AlertRun.SECOND); // the third may still get a report
      run.complete(end(4) + 5 * AlertRun.SECOND);
      run.end();
      assertEquals(List.of("10.0.0.7 1 firing since 3 at 3 held 3"), run.lines());
    }
  }

  @Test
  void anAnalysisThatComesIsFollowedAndOneThatGoesHasItsAlertsResolved() throws Exception {
    String text = AlertRun.text("0s", "- {name: loud, when: bytes > 100}");
    OperatorSubtaskState state;
    try (AlertRun run = AlertRun.start()) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.announce(text, 1);
      run.add(report(2, 3, 7, 500));
      run.completeWindow(2);
      state = run.snapshot(1);
      run.checkpointCompleted(1);
      assertEquals(List.of("10.0.0.7 1 firing since 2 at 2 held 2"), run.lines());
      try (AlertRun again = AlertRun.restore(run, state)) {
        again.announce(text, 2); // with each start
        again.add(report(3, 3, 7, 500));
        again.completeWindow(3);
        again.announce("", 3);
        again.completeWindow(5);
        again.end();
        assertEquals(
            "10.0.0.7 2 resolved since 2 at 3 held 3 changed",
            again.lines().get(again.lines().size() - 1));
      }
    }
  }

  @Test
  void anAlertThatIsResolvedByHandIsToldOnceAndFiresAnewAfterItsSilence() throws Exception {
    AnalysisConfig rule = analysis("0s", "- {name: loud, when: bytes > 100, silence: 30s}");
    try (AlertRun run = AlertRun.start(rule)) {
      run.resolve("0123456789abcdef0123456789abcdef"); // another job's
      run.add(report(1, 3, 7, 500, 8, 500));
      run.completeWindow(1);
      run.checkpoint(1);
      run.resolve(run.sent().get(0).id());
      run.resolve(run.sent().get(0).id()); // once more, as after a restart
      assertEquals(2, run.sent().size(), "nothing is said before a checkpoint holds it");
      for (int window = 2; window <= 6; window++) {
        run.add(report(window, 3, 7, 500, 8, 500));
        run.completeWindow(window);
      }
      run.end();
      assertEquals(
          List.of(
              "10.0.0.7 1 firing since 1 at 1 held 1",
              "10.0.0.8 1 firing since 1 at 1 held 1",
              "10.0.0.7 2 resolved since 1 at 1 held 1 by hand",
              "10.0.0.7 1 firing since 2 at 4 held 4",
              "10.0.0.8 2 firing since 1 at 4 held 4"),
          run.lines());
    }
  }

  @Test
  void whatIsResolvedByHandStaysSoAfterARestartAndIsToldOnceMore() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.checkpoint(1);
      String id = run.sent().get(0).id();
      run.resolve(id);
      OperatorSubtaskState state = run.snapshot(2);
      run.checkpointCompleted(2);
      String resolved = "10.0.0.7 2 resolved since 1 at 1 held 1 by hand";
      assertEquals(List.of("10.0.0.7 1 firing since 1 at 1 held 1", resolved), run.lines());
      try (AlertRun again = AlertRun.restore(run, state, LOUD)) {
        again.resolve(id); // read again
        again.completeWindow(2); // the condition does not hold
        again.end();
        assertEquals(List.of(resolved, resolved), again.lines().subList(1, 3), "the same message");
        assertEquals(3, again.lines().size(), again.lines() + "");
        assertEquals(again.sent().get(1), again.sent().get(2));
      }
    }
  }

  @Test
  void whatIsResolvedByHandAfterTheLastReportIsToldToo() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500, 8, 500));
      run.completeWindow(1);
      run.checkpoint(1);
      List<String> ids = run.sent().stream().map(Alert::id).toList();
      run.end();
      for (String id : ids) {
        run.resolve(id);
      }
      assertEquals(2, run.sent().size());
      run.endResolves();
      assertEquals(
          List.of(
              "10.0.0.7 2 resolved since 1 at 1 held 1 by hand",
              "10.0.0.8 2 resolved since 1 at 1 held 1 by hand"),
          run.lines().subList(2, 4));
    }
  }

  @Test
  void onlyMessagesOfTheirVersionWithAnIdResolve() {
    String id = "0123456789abcdef0123456789abcdef";
    assertEquals(Optional.of(id), AlertResolves.parse(AlertResolves.message(id).getBytes(UTF_8)));
    String more = "{\"version\":1,\"by\":{\"a\":[1]},\"id\":\"" + id + "\"}";
    assertEquals(Optional.of(id), AlertResolves.parse(more.getBytes(UTF_8)));
    for (String wrong :
        List.of(
            "",
            "[]",
            "{\"version\":1}",
            "{\"version\":2,\"id\":\"" + id + "\"}",
            "{\"version\":1,\"id\":\"" + id.substring(1) + "\"}",
            "{\"version\":1,\"id\":\"" + id,
            "{\"version\":1,\"id\":{\"id\":\"" + id + "\"}}",
            "{\"version\":\"1\",\"id\":\"" + id + "\"}",
            "{\"version\":1.5,\"id\":\"" + id + "\"}",
            "{\"version\":99999999999999999999,\"id\":\"" + id + "\"}",
            "{\"version\":1,\"id\":\"" + id + "\"} {}",
            " ".repeat(5000) + more)) {
      assertEquals(Optional.empty(), AlertResolves.parse(wrong.getBytes(UTF_8)), wrong);
    }
    assertEquals(Optional.empty(), AlertResolves.parse(null));
  }

  @Test
  void aReportOfAWindowWithoutGroupsFiresNothingResolvesAndBreaksNoSilence() throws Exception {
    String rules =
        """
        - {name: any, when: bytes > 0 OR bytes IS NULL}
        - {name: silent, absent: 20s}
        """;
    List<List<String>> lines = new ArrayList<>();
    for (boolean isReported : new boolean[] {false, true}) {
      try (AlertRun run = AlertRun.start(analysis("0s", rules))) {
        run.complete(end(0));
        run.add(report(1, 3, 7, 100));
        run.completeWindow(1);
        for (int window = 2; window <= 5; window++) {
          if (isReported) {
            run.add(AlertRun.withoutGroups(window));
          }
          run.completeWindow(window);
        }
        run.end();
        lines.add(run.lines());
      }
    }
    assertEquals(lines.get(0), lines.get(1));
    assertEquals(
        List.of(
            "10.0.0.7 1 firing since 1 at 1 held 1",
            "10.0.0.7 2 resolved since 1 at 2 held 1",
            " 1 firing since 3 at 3 held 3"),
        lines.get(1));
  }

  @Test
  void alertsInLayout1GoOnAsTheyWere() throws Exception {
    DataOutputSerializer layout1 = new DataOutputSerializer(64);
    layout1.writeByte(1);
    layout1.writeLong(end(3)); // judged
    layout1.writeInt(0); // reports
    layout1.writeInt(0); // rules
    AlertCounters counters = AlertCounters.of(new UnregisteredMetricsGroup());
    AnalysisAlerts alerts = AnalysisAlerts.of(layout1.getCopyOfBuffer(), counters);
    AnalysisConfig silent = analysis("0s", "- {name: silent, absent: 20s}");
    List<Alert> sent = new ArrayList<>();
    for (int window = 4; window <= 5; window++) {
      alerts.configure(silent, end(window), sent::add);
      alerts.judgeUpTo(end(window), sent::add);
      alerts = AnalysisAlerts.of(alerts.toBytes(), counters);
    }
    assertEquals(
        List.of(" 1 firing since 5 at 5 held 5"), sent.stream().map(AlertRun::line).toList());
    byte[] later = alerts.toBytes();
    later[0] = 3;
    assertThrows(IOException.class, () -> AnalysisAlerts.of(later, counters));
  }

  @Test
  void keysAboveTheLimitAreNotFollowedUntilOthersAreForgotten() throws Exception {
    AnalysisConfig two = analysis("0s", "- {name: loud, when: bytes > 100, keys: 2, silence: 20s}");
    try (AlertRun run = AlertRun.start(two)) {
      run.add(report(1, 3, 1, 500, 2, 500, 3, 500));
      run.add(report(2, 3, 3, 500)); // the others' silence goes on
      run.add(report(3, 3, 3, 500));
      run.completeWindow(3);
      run.end();
      assertEquals(
          List.of(
              "10.0.0.1 1 firing since 1 at 1 held 1",
              "10.0.0.2 1 firing since 1 at 1 held 1",
              "10.0.0.1 2 resolved since 1 at 2 held 1",
              "10.0.0.2 2 resolved since 1 at 2 held 1",
              "10.0.0.3 1 firing since 3 at 3 held 3"),
          run.lines());
    }
  }

  @Test
  void aRuleThatSaysSomethingElseResolvesWhatWasToldAndBeginsAnew() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      OperatorSubtaskState state = run.snapshot(1);
      AnalysisConfig same =
          analysis("0s", "- {name: loud, when: bytes > 100, silence: 60m, severity: critical}");
      try (AlertRun again = AlertRun.restore(run, state, same)) {
        again.add(report(2, 3, 7, 500));
        again.completeWindow(2);
        again.end();
        assertEquals(List.of("10.0.0.7 1 firing since 1 at 1 held 1"), again.lines());
      }
      AnalysisConfig other = analysis("0s", "- {name: loud, when: bytes > 101, silence: 1h}");
      try (AlertRun again = AlertRun.restore(run, state, other)) {
        again.add(report(2, 3, 7, 500));
        again.completeWindow(2);
        again.end();
        assertEquals(
            List.of(
                "10.0.0.7 1 firing since 1 at 1 held 1",
                "10.0.0.7 2 resolved since 1 at 1 held 1 changed",
                "10.0.0.7 1 firing since 2 at 2 held 2"),
            again.lines());
      }
      try (AlertRun gone = AlertRun.restore(run, state)) {
        gone.completeWindow(2);
        gone.end();
        assertEquals(
            List.of(
                "10.0.0.7 1 firing since 1 at 1 held 1",
                "10.0.0.7 2 resolved since 1 at 1 held 1 changed"),
            gone.lines());
      }
    }
  }

  @Test
  void aRuleThatCannotJudgeAReportStopsNoOther() throws Exception {
    AnalysisConfig two =
        analysis(
            "0s",
            """
            - {name: lost, when: packets > 1}
            - {name: loud, when: bytes > 100}
            """);
    try (AlertRun run = AlertRun.start(two)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.end();
      assertEquals(List.of("10.0.0.7 1 firing since 1 at 1 held 1"), run.lines());
    }
  }

  /** Returns a rule whose silence overflows microseconds. */
  private static AlertConfig vast(String name) {
    AlertConfig like = LOUD.alerts().get(0);
    return new AlertConfig(
        name,
        like.when(),
        null,
        null,
        like.holds(),
        0,
        0,
        Duration.ofDays(200_000),
        like.resolveAfter(),
        like.severity(),
        like.sinks(),
        like.keys());
  }

  private static AnalysisConfig with(AnalysisConfig analysis, AlertConfig... alerts) {
    return new AnalysisConfig(
        analysis.name(),
        analysis.live(),
        analysis.history(),
        analysis.report(),
        analysis.sinks(),
        List.of(alerts),
        analysis.places());
  }

  @Test
  void aRuleThatDoesNotFitIsLeftOutAndStopsNothing() throws Exception {
    AnalysisConfig loud = analysis("0s", "- {name: loud, when: bytes > 100}");
    AnalysisConfig none = with(loud, vast("loud"));
    AnalysisConfig two = with(loud, vast("vast"), loud.alerts().get(0));
    try (AlertRun run = AlertRun.start(two)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      OperatorSubtaskState state = run.snapshot(1);
      run.checkpointCompleted(1);
      assertEquals(List.of("10.0.0.7 1 firing since 1 at 1 held 1"), run.lines());
      try (AlertRun again = AlertRun.restore(run, state, none)) {
        again.add(report(2, 3, 7, 500));
        again.completeWindow(2);
        again.end();
        assertEquals(
            "10.0.0.7 2 resolved since 1 at 1 held 1 changed",
            again.lines().get(again.lines().size() - 1));
      }
    }
  }

  @Test
  void aDefinitionThatCannotBeReadAnyMoreIsLeftOutAndStopsNothing() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.announce("name: talkers\nlive: {qwery: x}\n", 1);
      run.add(report(2, 3, 7, 500));
      run.completeWindow(2);
      run.end();
      assertEquals(
          List.of(
              "10.0.0.7 1 firing since 1 at 1 held 1",
              "10.0.0.7 2 resolved since 1 at 1 held 1 changed"),
          run.lines());
    }
  }

  @Test
  void idsTellAlertsApartAndAreTheSameInEachRun() {
    AnalysisConfig analysis =
        analysis(
            "0s",
            """
            - {name: a, when: bytes > 100}
            - {name: b, when: bytes > 100}
            """);
    AlertRule a = AlertRule.of(analysis, analysis.alerts().get(0));
    AlertRule b = AlertRule.of(analysis, analysis.alerts().get(1));
    // sha256 of "talkers\0a\0k\0" + "1795255210000000", the first half
    assertEquals("fe48d71f5f2c38e40462348bd8ef8994", a.id("k", end(1)));
    assertNotEquals(a.id("k", end(1)), a.id("k", end(2)));
    assertNotEquals(a.id("k", end(1)), a.id("l", end(1)));
    assertNotEquals(a.id("k", end(1)), b.id("k", end(1)));
  }

  @Test
  void jsonIsAsItsPageSays() throws Exception {
    try (AlertRun run = AlertRun.start(LOUD)) {
      run.add(report(1, 3, 7, 500, 7, 600));
      run.completeWindow(1);
      run.end();
      Alert alert = run.sent().get(0);
      assertEquals(
          "{\"version\":1,\"id\":\""
              + alert.id()
              + "\",\"number\":1,\"state\":\"firing\",\"cause\":\"condition\","
              + "\"severity\":\"warning\",\"analysis\":\"talkers\",\"rule\":\"loud\","
              + "\"key\":\"10.0.0.7\",\"since\":\"2026-11-21T10:00:10Z\","
              + "\"window_start\":\"2026-11-21T10:00:00Z\",\"window_end\":\"2026-11-21T10:00:10Z\","
              + "\"last_held\":\"2026-11-21T10:00:10Z\",\"revision\":3,\"rows\":2,"
              + "\"columns\":{\"src_addr\":\"10.0.0.7\",\"bytes\":500}}",
          new String(AlertJson.of(alert), java.nio.charset.StandardCharsets.UTF_8));
    }
  }
}
