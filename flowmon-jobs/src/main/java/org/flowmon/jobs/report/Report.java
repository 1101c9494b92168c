package org.flowmon.jobs.report;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.RecordType;
import org.flowmon.udaf.value.ResultTable;

/**
 * What an analysis says of one window. A report replaces any of the same analysis and window that
 * has no higher revision, with all of its rows.
 *
 * @param analysis its name
 * @param definition the text of an analysis that came or changed while the job ran, else null
 *     ({@link org.flowmon.jobs.analysis.Definitions})
 * @param windowStart in microseconds, inclusive
 * @param windowEnd in microseconds, exclusive
 * @param revision {@link #FINAL}, {@link #PARTIAL} or {@link #PROVISIONAL}, and {@link #UPDATE}
 *     more with each {@linkplain org.flowmon.jobs.merge.WindowResult#update update} of the window's
 *     result: it depends on what the report rests on, flows before history, and never on when it
 *     was made, so that a repeat after a restart replaces a report only by one that is at least as
 *     good
 * @param columns those of {@code rows}, in their order
 * @param rows in the order to be shown in
 * @param approximations what in the columns is approximate; none of most analyses
 */
@TypeInfo(Report.Factory.class)
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

  /** With the whole history, or of an analysis that has none. */
  public static final int FINAL = 3;

  /** Between the revisions of a window's result and those of the next one. */
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

  /** A report without anything approximate. */
  public Report(
      String analysis,
      String definition,
      long windowStart,
      long windowEnd,
      int revision,
      List<ReportColumn> columns,
      ResultTable rows,
      Confidence confidence) {
    this(
        analysis,
        definition,
        windowStart,
        windowEnd,
        revision,
        columns,
        rows,
        confidence,
        List.of());
  }

  /** No report, but word of an analysis, as {@link WindowResult#isAnnouncement} brings it. */
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
        Confidence.of(window));
  }

  /**
   * Whether this is no report, but word of what the analysis is from now on: its definition, empty
   * where it is gone, and as its revision the version of that change.
   */
  public boolean isAnnouncement() {
    return windowStart == windowEnd;
  }

  /** A report of an analysis that the job was started with. */
  public Report(
      String analysis,
      long windowStart,
      long windowEnd,
      int revision,
      List<ReportColumn> columns,
      ResultTable rows,
      Confidence confidence) {
    this(analysis, null, windowStart, windowEnd, revision, columns, rows, confidence);
  }

  /**
   * The revision of a report.
   *
   * @param update number of the window's result: what holds more flows comes first
   * @param history and among those of one result, what rests on more history
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
   * What tells a row from the others of its window: the values of the key columns as text, {@code
   * |} between them; {@code \N} is NULL, and {@code \} and {@code |} within a value have a {@code
   * \} before them. Empty where there is no key column.
   */
  public String rowKey(int row) {
    return rowKey(row, keyColumns());
  }

  /** Likewise of other columns, by their places. */
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

  /** The places of the key columns. */
  public int[] keyColumns() {
    return IntStream.range(0, columns.size()).filter(c -> columns.get(c).key()).toArray();
  }

  /**
   * Whether there is anything in its window. Where there is not it has no rows, and is there to say
   * what was late or lost.
   */
  public boolean hasGroups() {
    return rows.rowCount() > 0 || confidence.groups() != 0 || confidence.groupLevel() != 0;
  }

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<Report> {
    @Override
    public TypeInformation<Report> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
