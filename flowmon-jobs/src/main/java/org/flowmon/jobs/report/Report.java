package org.flowmon.jobs.report;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.value.ResultTable;

/**
 * An analysis's report on one window. It replaces, with all of its rows, any report of the same
 * analysis and window without a higher revision.
 *
 * @param analysis its name
 * @param definition the text of an analysis that came or changed while the job ran, else null
 *     ({@link org.flowmon.jobs.analysis.Definitions})
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param revision {@link #FINAL}, {@link #PARTIAL} or {@link #PROVISIONAL}, and {@link #UPDATE}
 *     more with each {@linkplain org.flowmon.jobs.merge.WindowResult#update update} of the window's
 *     result. It depends on the report's data, flows before history, and never on the time of its
 *     making, so a repeat after a restart replaces a report only by one that is at least as good
 * @param columns those of {@code rows}, in their order
 * @param rows in the order to be shown in
 * @param approximations of the columns; none for most analyses
 */
@TypeInfo(RecordType.Factory.class)
public record Report(
    String analysis,
    String definition,
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

  /** The step from the revisions of one result to those of the next one of the same window. */
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

  /** Creates an announcement of an analysis from a {@link WindowResult#isAnnouncement} result. */
  static Report announcement(String analysis, String definition, WindowHistory window) {
    long time = window.window().windowEnd();
    return new Report(
        analysis,
        definition,
        time,
        time,
        (int) Math.min(window.window().groups(), Integer.MAX_VALUE), // the version of the change
        List.of(),
        new ResultTable.Builder().build(),
        Confidence.of(window),
        List.of());
  }

  /**
   * Whether this is an announcement and no report: it has the analysis's new definition, empty if
   * it is removed, and as its revision the version of that change.
   */
  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /**
   * Returns the revision of a report.
   *
   * @param update number of the window's result: more flows rank first
   * @param history for the same result, more history ranks higher
   */
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
   * Returns the row's key within its window: the values of the key columns as text, {@code |}
   * between them; {@code \N} is NULL, and {@code \} and {@code |} within a value have a {@code \}
   * before them. Empty if there is no key column.
   */
  public String rowKey(int row) {
    return rowKey(row, keyColumns());
  }

  /**
   * Returns the row's values in other columns, given by index, in the format of {@link
   * #rowKey(int)}.
   */
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

  /** Returns the indexes of the key columns. */
  public int[] keyColumns() {
    return IntStream.range(0, columns.size()).filter(c -> columns.get(c).key()).toArray();
  }

  /**
   * Whether its window has any groups. Without them the report has no rows and only tells of late
   * or lost flows.
   */
  public boolean hasGroups() {
    return rows.rowCount() > 0 || confidence.groups() != 0 || confidence.groupLevel() != 0;
  }
}
