package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.REVERSE_BYTES;
import static org.flowmon.flow.FlowColumn.SAMPLING_RATE;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.lines;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Bytes of a source that one packet of a hundred tells of, beside a source that all packets do. */
class SampledFlowsTest {
  private static final String SAMPLED = "192.0.2.1";
  private static final String WHOLE = "192.0.2.2";
  private static final String TARGET = "10.0.0.1";

  private final TestFlows flows = new TestFlows();

  private void send(long end, String source, long bytes, Integer rate) {
    flows.add(
        end,
        SRC_ADDR,
        source,
        DST_ADDR,
        TARGET,
        BYTES,
        bytes,
        REVERSE_BYTES,
        bytes,
        SAMPLING_RATE,
        rate);
  }

  /** Both send 1000 bytes a second in the same hour of each day; now the sampled one sends more. */
  private void sendAsUsualAndNow() {
    for (int day = 1; day <= 7; day++) {
      send(END - day * DAY + SECOND, SAMPLED, 36_000, 100);
      send(END - day * DAY + SECOND, WHOLE, 3_600_000, day % 2 == 0 ? null : (Integer) 1);
    }
    send(END - SECOND, SAMPLED, 300, 100);
    send(END - SECOND, WHOLE, 10_000, 1);
  }

  private ResultTable rows(AnalysisConfig analysis) {
    return report(analysis, flows.window(analysis, END, END - 30 * DAY));
  }

  @Test
  void anElephantIsOneByWhatItSentNowAndInThePast() {
    sendAsUsualAndNow();
    assertEquals(
        List.of(
            "1 192.0.2.1 30000 0.75 3000.0 1000.0 new",
            "2 192.0.2.2 10000 0.25 1000.0 1000.0 usual"),
        lines(
            rows(offered("elephants")),
            "rank",
            "src_addr",
            "bytes",
            "share",
            "rate",
            "median_rate",
            "verdict"));
  }

  @Test
  void theLargestOfThePastAreThoseThatSentTheMost() {
    sendAsUsualAndNow();
    // The same in seven days: the first by its address. By counts it would be the other one.
    assertEquals(
        List.of("1 192.0.2.2 10000"),
        lines(
            rows(offered("mice", "LIMIT 100\n  refresh", "LIMIT 1\n  refresh")),
            "rank",
            "src_addr",
            "bytes"));
  }

  @Test
  void theMatrixHasBothWaysTimesTheRate() {
    sendAsUsualAndNow();
    assertEquals(
        List.of("80000"), lines(rows(offered("anomaly")), "bytes").subList(0, 1), "the summary");
  }

  @Test
  void othersReportTheSameBytes() {
    sendAsUsualAndNow();
    send(END - 400 * SECOND, SAMPLED, 3, 100);
    assertEquals(
        List.of("192.0.2.1 30000", "192.0.2.2 10000"),
        lines(rows(offered("new_talkers", "WHERE verdict = 'new'", "")), "src_addr", "bytes"));
    ResultTable again = rows(offered("dispersion"));
    assertEquals(List.of("192.0.2.0 40000"), lines(again, "prefix", "bytes"));
    double perDay = again.doubleValue(0, again.column("bytes_per_day"));
    assertTrue(perDay > 7_200_000 && perDay < 7_300_000, "of nearly seven days: " + perDay);
  }
}
