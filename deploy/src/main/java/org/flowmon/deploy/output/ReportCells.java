package org.flowmon.deploy.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.enrich.KnownNames;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A report's values as people read them, told by the names of its columns ({@code docs/logics.md}):
 * bytes with units, rates of bytes in bit/s, shares in percent, ports and protocols by name.
 */
final class ReportCells {
  private static final Set<String> BYTE_RATES =
      Set.of("rate", "median_rate", "usual_rate", "change");
  private static final Set<String> SHARES = Set.of("share", "usual_share", "coverage");
  private static final Set<String> TIMES = Set.of("lag", "period");
  private static final Set<String> EXTREMES = Set.of("first_beat", "last_beat");
  private static final Set<String> PLAIN = Set.of("rank", "type", "domain", "tos", "vlan");
  private static final long DAY = 86_400_000_000L;

  private final ResultTable rows;
  private final boolean hasBytes;
  private final long end;

  /** {@code end} of the window, in microseconds: times of its day are shown without the date. */
  ReportCells(ResultTable rows, long end) {
    this.rows = rows;
    this.hasBytes = rows.names().stream().anyMatch(ReportCells::isBytes);
    this.end = end;
  }

  List<FittedTable.Column> columns() {
    List<FittedTable.Column> columns = new ArrayList<>();
    for (int column = 0; column < rows.columnCount(); column++) {
      List<List<String>> cells = new ArrayList<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        cells.add(rows.isNull(row, column) ? List.of("") : cell(row, column));
      }
      columns.add(
          FittedTable.Column.of(
              TextTable.printable(rows.name(column)), cells, isRight(column), rank(column)));
    }
    return columns;
  }

  /** Numbers as they are. */
  static List<FittedTable.Column> plain(ResultTable rows) {
    List<FittedTable.Column> columns = new ArrayList<>();
    for (int column = 0; column < rows.columnCount(); column++) {
      List<List<String>> cells = new ArrayList<>();
      for (int row = 0; row < rows.rowCount(); row++) {
        cells.add(List.of(TextTable.printable(rows.formatted(row, column))));
      }
      columns.add(FittedTable.Column.of(TextTable.printable(rows.name(column)), cells, false, 0));
    }
    return columns;
  }

  private boolean isRight(int column) {
    ValueKind kind = rows.kind(column);
    String name = rows.name(column);
    return kind == ValueKind.DURATION
        || (kind.isNumber() && !isPort(name) && !name.endsWith("protocol"));
  }

  /** The larger, the sooner a column is left out of a table that is too wide. */
  private int rank(int column) {
    String name = rows.name(column);
    if (name.equals("verdict") || rows.kind(column) == ValueKind.ADDRESS) {
      return 0;
    }
    if (isPort(name) || isBytes(name) || name.endsWith("protocol") || name.equals("prefix")) {
      return 1;
    }
    if (name.equals("rank") || name.startsWith("days_") || name.equals("past_days")) {
      return 5;
    }
    if (name.startsWith("history_") || name.equals("coverage")) {
      return 4;
    }
    boolean isDetail =
        name.startsWith("median_") || name.startsWith("usual_") || EXTREMES.contains(name);
    return isDetail ? 3 : 2;
  }

  private static boolean isBytes(String name) {
    return name.equals("bytes") || name.endsWith("_bytes");
  }

  private static boolean isPort(String name) {
    return name.equals("port") || name.endsWith("_port");
  }

  private List<String> cell(int row, int column) {
    return switch (rows.kind(column)) {
      case TEXT -> text(Objects.requireNonNull(rows.text(row, column)));
      case TIMESTAMP -> List.of(time(rows.longValue(row, column)));
      case DURATION -> List.of(Units.duration(rows.doubleValue(row, column)));
      case LONG, DOUBLE -> List.of(number(row, column));
      default -> List.of(rows.formatted(row, column));
    };
  }

  private List<String> text(String text) {
    return StateCells.lines(text).stream().map(TextTable::printable).toList();
  }

  /** The time of day in UTC; with the date if it is not the window's day. */
  private String time(long micros) {
    String text = FlowTime.text(micros);
    boolean isToday = Math.floorDiv(micros, DAY) == Math.floorDiv(end, DAY);
    int point = text.indexOf('.');
    String seconds = point < 0 ? text.replace("Z", "") : text.substring(0, point);
    return isToday ? seconds.substring(seconds.indexOf('T') + 1) : seconds.replace('T', ' ');
  }

  private String number(int row, int column) {
    String name = rows.name(column).toLowerCase(Locale.ROOT);
    double value = rows.doubleValue(row, column);
    if (isBytes(name) || (name.contains("bytes") && name.endsWith("_per_day"))) {
      return Units.bytes(value);
    }
    if (name.endsWith("bits_per_second")) {
      return Units.bits(value);
    }
    if (BYTE_RATES.contains(name) && hasBytes) {
      return Units.bits(8 * value);
    }
    if (SHARES.contains(name)) {
      return Units.percent(value);
    }
    if (TIMES.contains(name) || name.endsWith("duration")) {
      return Units.duration(value);
    }
    if (rows.kind(column) == ValueKind.DOUBLE) {
      return Units.number(value);
    }
    String code = code(name, rows.low(row, column));
    return code != null ? code : whole(name, row, column);
  }

  private static @Nullable String code(String name, long value) {
    if (name.endsWith("protocol")) {
      return KnownNames.protocol(value);
    }
    if (isPort(name)) {
      return KnownNames.port(value);
    }
    return name.endsWith("tcp_flags") ? KnownNames.flags(value) : null;
  }

  private String whole(String name, int row, int column) {
    boolean isName =
        PLAIN.contains(name)
            || isPort(name)
            || name.endsWith("protocol")
            || name.endsWith("_as")
            || name.endsWith("_if")
            || name.endsWith("_id")
            || name.endsWith("_code");
    return isName ? rows.formatted(row, column) : Units.count(rows.bigValue(row, column));
  }
}
