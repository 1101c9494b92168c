package org.flowmon.jobs.report;

import java.util.List;
import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Windows, histories and reports by hand. */
public final class TestReports {
  public static final long SECOND = 1_000_000L;
  public static final long HOUR = 3600 * SECOND;
  public static final long DAY = 24 * HOUR;

  /** 2026-11-21T10:00:00Z. */
  public static final long END = 1_795_255_200L * SECOND;

  private TestReports() {}

  /** Returns the bundled analysis of the top four with other parameters of its query. */
  public static AnalysisConfig elephants(String parameters) {
    return elephants(parameters, "");
  }

  /** Returns the bundled analysis with other parameters, and with more below {@code report}. */
  public static AnalysisConfig elephants(String parameters, String more) {
    return AnalysisConfig.parse(
        "elephants.yaml",
        """
        name: elephants
        extends: elephants
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 4
          lateness: null
          revisions: null
        history:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows
            WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7)
            GROUP BY src_addr, DAYS_BEFORE(end_time, :now)
        report:
          parameters: {%s}
          %s
        """
            .formatted(parameters, more));
  }

  /** Returns a window of ten seconds; rows are pairs of address and bytes. */
  public static WindowResult window(long total, Object... rows) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG);
    for (int i = 0; i < rows.length; i += 2) {
      IpAddress address = IpAddress.parse((String) rows[i]);
      table.row().set(0, address.hi(), address.lo()).set(1, ((Number) rows[i + 1]).longValue());
    }
    ResultTable totals =
        new ResultTable.Builder().column("bytes", ValueKind.LONG).row().set(0, total).build();
    return new WindowResult(
        "elephants",
        END - 10 * SECOND,
        END,
        table.build(),
        totals,
        rows.length / 2,
        new ArrivalCounts(1000, 3, 2, 1));
  }

  /** Returns a history whose archive lacks arrivals of [gapFrom, gapThrough]. */
  public static HistoryAnswer withGap(HistoryAnswer history, long gapFrom, long gapThrough) {
    return new HistoryAnswer(
        HistoryStatus.PARTIAL,
        history.asOf(),
        history.from(),
        history.through(),
        LongRanges.of(gapFrom, gapThrough),
        history.rows(),
        "a gap");
  }

  /** Returns a history with this range; rows are triples of address, day and bytes. */
  public static HistoryAnswer history(long from, long through, Object... rows) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG)
            .column("day", ValueKind.LONG);
    for (int i = 0; i < rows.length; i += 3) {
      IpAddress address = IpAddress.parse((String) rows[i]);
      table
          .row()
          .set(0, address.hi(), address.lo())
          .set(1, ((Number) rows[i + 2]).longValue())
          .set(2, ((Number) rows[i + 1]).longValue());
    }
    long asOf = END - 20 * SECOND;
    HistoryStatus status = through >= asOf ? HistoryStatus.EXACT : HistoryStatus.PARTIAL;
    return new HistoryAnswer(
        status, asOf, from, through, LongRanges.NONE, Optional.of(table.build()), null);
  }

  /** Returns a report with a column of every kind; rows are pairs of address and count. */
  public static Report report(int revision, Object... rows) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG)
            .column("flows", ValueKind.LONG)
            .column("share", ValueKind.DOUBLE)
            .column("first_seen", ValueKind.TIMESTAMP)
            .column("longest", ValueKind.DURATION)
            .column("outgoing", ValueKind.BOOLEAN)
            .column("verdict", ValueKind.TEXT);
    for (int i = 0; i < rows.length; i += 2) {
      table.row();
      if (rows[i] != null) {
        IpAddress address = IpAddress.parse((String) rows[i]);
        table.set(0, address.hi(), address.lo());
      }
      long value = ((Number) rows[i + 1]).longValue();
      table
          .set(1, 1, value) // 2^64 + value: more than a long holds
          .set(2, value)
          .set(3, Double.doubleToLongBits(0.25))
          .set(4, END + 1)
          .set(5, 90 * SECOND + 1)
          .set(6, 1)
          .set(7, "a \"new\" one\n");
    }
    List<ReportColumn> columns =
        List.of(
            ReportColumn.key("src_addr", ValueKind.ADDRESS),
            ReportColumn.sum("bytes"),
            ReportColumn.of("flows", ValueKind.LONG),
            ReportColumn.of("share", ValueKind.DOUBLE),
            ReportColumn.of("first_seen", ValueKind.TIMESTAMP),
            ReportColumn.of("longest", ValueKind.DURATION),
            ReportColumn.of("outgoing", ValueKind.BOOLEAN),
            ReportColumn.of("verdict", ValueKind.TEXT));
    Confidence confidence =
        new Confidence(
            HistoryStatus.EXACT,
            END - 20 * SECOND,
            END - 9 * DAY,
            END,
            END,
            END + 60 * SECOND,
            0,
            WindowResult.UNKNOWN_GROUPS,
            new ArrivalCounts(1000, 3, 2, 1),
            null);
    return new Report(
        "elephants",
        null,
        END - 10 * SECOND,
        END,
        revision,
        columns,
        table.build(),
        confidence,
        List.of());
  }

  /** Returns a report whose queries joined files, one of them in two versions. */
  public static Report enriched() {
    Report report = report(Report.FINAL, "192.0.2.1", 5);
    return new Report(
        report.analysis(),
        null,
        report.windowStart(),
        report.windowEnd(),
        report.revision(),
        report.columns(),
        report.rows(),
        report
            .confidence()
            .withEnrichment(List.of("networks /n.csv of 1 (sha256 a)", "networks /n.csv of 2")),
        List.of());
  }

  /** Returns a report with approximate columns, one of them without bound and exact query. */
  public static Report approximate() {
    return approximate("192.0.2.1", 5);
  }

  /** Returns a report with approximate columns and these rows. */
  public static Report approximate(Object... rows) {
    Report report = report(Report.FINAL, rows);
    return new Report(
        report.analysis(),
        null,
        report.windowStart(),
        report.windowEnd(),
        report.revision(),
        report.columns(),
        report.rows(),
        report.confidence(),
        List.of(
            new ReportApproximation(
                "flows",
                "MEDIAN(QUANTILES(bytes))",
                false,
                ErrorBound.ofRank(12.5, 1),
                "SELECT bytes, COUNT(*) AS exact FROM flows WHERE service = 'a\"b' GROUP BY bytes"),
            new ReportApproximation(
                "share", "TOP(HEAVY_HITTERS(dst_port), 3)", false, null, null)));
  }

  /** Returns a report with a list of items, and twice a value that the list is computed from. */
  public static Report withLists(boolean marked) {
    Report report = report(Report.FINAL);
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("ports", ValueKind.TEXT)
            .column("name", ValueKind.TEXT);
    String items = "[{\"item\":\"a\\\"b\u202e\",\"value\":7,\"lower\":6.5,\"upper\":7}]";
    IpAddress address = IpAddress.parse("192.0.2.1");
    table.row().set(0, address.hi(), address.lo()).set(1, items).set(2, items);
    table.row().set(0, address.hi(), address.lo() + 1).set(2, "[]");
    return new Report(
        report.analysis(),
        null,
        report.windowStart(),
        report.windowEnd(),
        report.revision(),
        List.of(
            ReportColumn.key("src_addr", ValueKind.ADDRESS),
            new ReportColumn("ports", ValueKind.TEXT, false, false, marked),
            ReportColumn.of("name", ValueKind.TEXT)),
        table.build(),
        report.confidence(),
        List.of(
            new ReportApproximation("ports", "TOP(HEAVY_HITTERS(dst_port), 3)", marked, null, "q"),
            new ReportApproximation("ports", "v", false, ErrorBound.additive(1, 1), null)));
  }
}
