package org.flowmon.jobs.alert;

import static org.flowmon.jobs.alert.AlertRun.analysis;
import static org.flowmon.jobs.alert.AlertRun.end;
import static org.flowmon.jobs.alert.AlertRun.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;

/** Alerts that no report came, or none with rows. */
class AlertOfAbsenceTest {
  @Test
  void anAlertOfAbsenceThatIsResolvedByHandFiresAnewWhereNothingComesForAsLong() throws Exception {
    AnalysisConfig silent = analysis("0s", "- {name: silent, absent: 30s, silence: 10s}");
    try (AlertRun run = AlertRun.start(silent)) {
      run.complete(end(0) + 3 * AlertRun.SECOND);
      run.completeWindow(4);
      run.checkpoint(1);
      run.resolve(run.sent().get(0).id());
      run.completeWindow(8);
      run.end();
      assertEquals(
          List.of(
              " 1 firing since 4 at 4 held 4",
              " 2 resolved since 4 at 4 held 4 by hand",
              " 1 firing since 7 at 7 held 7",
              " 2 firing since 7 at 8 held 8"),
          run.lines());
    }
  }

  @Test
  void absenceIsToldWhereNoReportEverCame() throws Exception {
    AnalysisConfig silent = analysis("0s", "- {name: silent, absent: 30s, severity: critical}");
    try (AlertRun run = AlertRun.start(silent)) {
      run.complete(end(0) + 3 * AlertRun.SECOND); // window 0 is not judged
      run.completeWindow(2); // the first that can be whole
      run.completeWindow(4);
      run.add(report(6, 3)); // a report without rows is one
      run.completeWindow(6);
      run.end();
      assertEquals(
          List.of(" 1 firing since 4 at 4 held 4", " 2 resolved since 4 at 6 held 5"), run.lines());
      assertEquals(Alert.Cause.ABSENCE, run.sent().get(0).cause());
      assertNull(run.sent().get(0).columns());
    }
  }

  /** Windows of a minute that end every ten seconds. */
  private static String longWindows(String query, String alerts) {
    return AlertRun.text("5s", alerts)
        .replace("window: 10s", "window: 1m\n  slide: 10s")
        .replace("SUM(bytes)", query);
  }

  @Test
  void absenceCountsFromTheFirstWindowThatCanHaveAReport() throws Exception {
    AnalysisConfig silent =
        AnalysisConfig.parse(
            "talkers.yaml", longWindows("SUM(bytes)", "- {name: silent, absent: 20s}"));
    try (AlertRun run = AlertRun.start(silent)) {
      run.complete(end(0)); // and a minute and the lateness later is within window 7
      for (int window = 1; window <= 7; window++) {
        run.complete(end(window) + 5 * AlertRun.SECOND);
      }
      OperatorSubtaskState state = run.snapshot(1); // window 7 counts already
      run.checkpointCompleted(1);
      assertEquals(List.of(), run.lines());
      try (AlertRun again = AlertRun.restore(run, state, silent)) {
        again.complete(end(8) + 5 * AlertRun.SECOND);
        again.complete(end(9) + 5 * AlertRun.SECOND);
        again.end();
        assertEquals(List.of(" 1 firing since 8 at 8 held 8"), again.lines());
      }
    }
  }

  @Test
  void absenceCountsFromTheFirstReportWhereItComesBefore() throws Exception {
    AnalysisConfig silent =
        AnalysisConfig.parse(
            "talkers.yaml", longWindows("SUM(bytes)", "- {name: silent, absent: 20s}"));
    try (AlertRun run = AlertRun.start(silent)) {
      run.complete(end(0));
      run.add(report(2, 3));
      run.complete(end(4) + 5 * AlertRun.SECOND);
      run.end();
      assertEquals(List.of(" 1 firing since 4 at 4 held 4"), run.lines());
    }
  }

  @Test
  void absenceWaitsAnewWhereTheLiveQueryChangesAndGoesOnWhereItDoesNot() throws Exception {
    String rule = "- {name: silent, absent: 20s}";
    String text = longWindows("SUM(bytes)", rule);
    try (AlertRun run = AlertRun.start()) {
      run.announce(text, 0);
      run.complete(end(0));
      run.add(report(1, 3));
      run.complete(end(1) + 5 * AlertRun.SECOND);
      run.announce(longWindows("SUM(packets)", rule), 1);
      run.add(report(2, 3)); // the old definition's last
      run.complete(end(2) + 6 * AlertRun.SECOND);
      // Within window 3 it is learned; a minute and the lateness later is within window 10.
      run.complete(end(9) + 5 * AlertRun.SECOND);
      OperatorSubtaskState state = run.snapshot(1);
      run.checkpointCompleted(1);
      assertEquals(List.of(), run.lines());
      try (AlertRun again = AlertRun.restore(run, state)) {
        again.announce(longWindows("SUM(packets)", rule + "\n- {name: late, absent: 30s}"), 9);
        for (int window = 10; window <= 12; window++) {
          again.complete(end(window) + 5 * AlertRun.SECOND);
        }
        again.end();
        assertEquals(
            List.of(" 1 firing since 11 at 11 held 11", " 1 firing since 12 at 12 held 12"),
            again.lines());
      }
    }
  }

  @Test
  void absenceOfRowsIsToldThoughReportsCome() throws Exception {
    AnalysisConfig quiet =
        analysis("0s", "- {name: quiet, absent: 20s, when: src_addr = '10.0.0.7'}");
    try (AlertRun run = AlertRun.start(quiet)) {
      run.add(report(1, 3, 7, 1));
      run.add(report(2, 3, 8, 1));
      run.add(report(3, 3, 8, 1));
      run.add(report(4, 3, 7, 1));
      run.completeWindow(4);
      run.end();
      assertEquals(
          List.of(" 1 firing since 3 at 3 held 3", " 2 resolved since 3 at 4 held 3"), run.lines());
    }
  }

  @Test
  void aYearWithoutInputIsJudgedWindowByWindowWhereARuleAsksForIt() throws Exception {
    AnalysisConfig both =
        analysis(
            "0s",
            """
            - {name: loud, when: bytes > 100, silence: 30d}
            - {name: silent, absent: 1d, silence: 100d}
            """);
    int year = 365 * 8640;
    try (AlertRun run = AlertRun.start(both)) {
      run.add(report(1, 3, 7, 500));
      run.completeWindow(1);
      run.add(report(year, 3, 7, 500));
      run.completeWindow(year);
      run.end();
      assertEquals(
          List.of(
              "10.0.0.7 1 firing since 1 at 1 held 1",
              "10.0.0.7 2 resolved since 1 at 2 held 1",
              " 1 firing since 8641 at 8641 held 8641",
              " 2 firing since 8641 at 872641 held 872641",
              " 3 firing since 8641 at 1736641 held 1736641",
              " 4 firing since 8641 at 2600641 held 2600641",
              "10.0.0.7 1 firing since 3153600 at 3153600 held 3153600",
              " 5 resolved since 8641 at 3153600 held 3153599"),
          run.lines());
    }
  }
}
