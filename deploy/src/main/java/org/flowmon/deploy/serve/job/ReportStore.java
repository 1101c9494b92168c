package org.flowmon.deploy.serve.job;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.json.ReportJson;

/** Where the reports of a job are kept. */
interface ReportStore extends AutoCloseable {
  /**
   * Which reports: of windows that end in [from, to) and not after {@code last}, in microseconds.
   *
   * @param analysis empty: of all
   */
  record Asked(Optional<String> analysis, long from, long to, long last, boolean withEmpty) {
    boolean holds(String of, long end, int rows) {
      return analysis.map(of::equals).orElse(true)
          && end >= from
          && end < to
          && end <= last
          && (withEmpty || rows > 0);
    }
  }

  /**
   * A report as it is now.
   *
   * @param messages as {@code docs/format/reports.md} has them, in the order of its rows
   */
  record Kept(
      String analysis,
      long start,
      long end,
      int revision,
      boolean isUpdated,
      boolean isComplete,
      int rows,
      List<byte[]> messages) {
    static Kept of(Report report) {
      List<byte[]> messages = new ArrayList<>();
      ReportJson.lines(report, line -> messages.add(line.getBytes(StandardCharsets.UTF_8)));
      return new Kept(
          report.analysis(),
          report.windowStart(),
          report.windowEnd(),
          report.revision(),
          false,
          true,
          report.rows().rowCount(),
          messages);
    }
  }

  /** Some reports; {@code isCut}: there was no room for others that follow. */
  record Found(List<Kept> reports, boolean isCut) {}

  /** What health calls it. */
  String name();

  ServedJob.State state();

  /**
   * The windows that end last first, those of one end by the names of their analyses.
   *
   * @param least so many at least, if there are
   * @throws Problem if they cannot be read now
   */
  Found reports(Asked asked, int least, int most);

  @Override
  void close();
}
