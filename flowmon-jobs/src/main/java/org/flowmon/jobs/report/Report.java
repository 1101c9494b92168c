package org.flowmon.jobs.report;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * An analysis's report on one window [start, end), in microseconds; rows in the order to be shown
 * in. With all its rows it replaces any of that window without a higher revision.
 *
 * @param definition text of an analysis that came or changed while the job ran, else null ({@link
 *     org.flowmon.jobs.analysis.Definitions})
 * @param revision {@link #FINAL}, {@link #PARTIAL} or {@link #PROVISIONAL}, and {@link #UPDATE}
 *     more with each {@linkplain org.flowmon.jobs.merge.WindowResult#update update} of the result.
 *     It depends on the data, flows before history, never on when it is made: a repeat after a
 *     restart replaces a report only by one at least as good
 */
@TypeInfo(RecordType.Factory.class)
public record Report(
    String analysis,
    @Nullable String definition,
    long windowStart,
    long windowEnd,
    int revision,
    List<ReportColumn> columns,
    ResultTable rows,
    Confidence confidence,
    List<ReportApproximation> approximations) {
  /** Without the history that the analysis asks for. */
  public static final int PROVISIONAL = 1;

  /** With a part of the history. */
  public static final int PARTIAL = 2;

  /** With the whole history, or for an analysis without one. */
  public static final int FINAL = 3;

  /** From the revisions of one result to those of the window's next. */
  public static final int UPDATE = 4;

  public static final TypeInformation<Report> TYPE =
      new RecordType<>(Report.class, new ReportSerializer());

  public Report {
    columns = List.copyOf(columns);
    approximations = List.copyOf(approximations);
    List<String> names = columns.stream().map(ReportColumn::name).toList();
    if (!names.equals(rows.names())) {
      throw new IllegalArgumentException(
          "report of " + analysis + ": rows have " + rows.names() + ", expected " + names);
    }
  }

  static Report announcement(String analysis, @Nullable String definition, WindowHistory window) {
    long time = window.window().windowEnd();
    return new Report(
        analysis,
        definition,
        time,
        time,
        (int) Math.min(window.window().groups(), Integer.MAX_VALUE), // the version of the change
        List.of(),
        new ResultTable.Builder().build(),
        Confidence.of(window, List.of()),
        List.of());
  }

  /** Whether it is no report: a definition, empty if removed; its version is the revision. */
  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /** The result's update ranks first, for the same one more history higher. */
  static int revision(int update, HistoryStatus history) {
    return UPDATE * update + revision(history);
  }

  private static int revision(HistoryStatus history) {
    return switch (history) {
      case NONE, EXACT -> FINAL;
      case PARTIAL -> PARTIAL;
      case REFUSED, TIMEOUT, FAILED -> PROVISIONAL;
    };
  }

  /**
   * The row's key within its window: values of key columns as text, {@code |} between; {@code \N}
   * is NULL; {@code \} and {@code |} within have a {@code \} before. Empty without key column.
   */
  public String rowKey(int row) {
    return rowKey(row, keyColumns());
  }

  /** Values in columns given by index, as {@link #rowKey(int)} writes them. */
  public String rowKey(int row, int[] keyColumns) {
    StringBuilder key = new StringBuilder();
    boolean first = true;
    for (int c : keyColumns) {
      if (!first) {
        key.append('|');
      }
      first = false;
      key.append(
          rows.isNull(row, c)
              ? "\\N"
              : rows.formatted(row, c).replace("\\", "\\\\").replace("|", "\\|"));
    }
    return key.toString();
  }

  public int[] keyColumns() {
    return IntStream.range(0, columns.size()).filter(c -> columns.get(c).key()).toArray();
  }

  /** Without groups the report has no rows and only tells of late or lost flows. */
  public boolean hasGroups() {
    return rows.rowCount() > 0 || confidence.groups() != 0 || confidence.groupLevel() != 0;
  }
}
