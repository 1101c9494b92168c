package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Rows of reports and of programs, as comparable lines. */
final class Cells {
  private Cells() {}

  /** Keys in the order of the dialect: ascending, unknown ones last. */
  static final Comparator<List<?>> BY_KEYS =
      (left, right) -> {
        for (int i = 0; i < left.size(); i++) {
          int order = compare(left.get(i), right.get(i));
          if (order != 0) {
            return order;
          }
        }
        return 0;
      };

  private static int compare(Object left, Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left == null, right == null);
    } else if (left instanceof IpAddress l) {
      return java.util.Arrays.compareUnsigned(l.toBytes(), ((IpAddress) right).toBytes());
    }
    return Long.compare((Long) left, (Long) right);
  }

  /** Formats a row: whole numbers, doubles, times, durations, addresses, texts, truths, nulls. */
  static String line(Object... cells) {
    List<String> texts = new ArrayList<>();
    for (Object cell : cells) {
      texts.add(text(cell));
    }
    return String.join(" | ", texts);
  }

  static Instant time(Long micros) {
    return micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static String text(Object cell) {
    if (cell == null) {
      return "NULL";
    } else if (cell instanceof Double number) {
      return rounded(number);
    } else if (cell instanceof Duration length) {
      return BigInteger.valueOf(length.toNanos() / 1000) + " us";
    }
    return cell.toString();
  }

  // Doubles may be summed in another order.
  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.9e", number == 0 ? 0.0 : number);
  }

  /** Returns a report's rows as lines. */
  static List<String> lines(ResultTable table) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < table.rowCount(); row++) {
      List<String> texts = new ArrayList<>();
      for (int column = 0; column < table.columnCount(); column++) {
        texts.add(text(table, row, column));
      }
      lines.add(String.join(" | ", texts));
    }
    return lines;
  }

  private static String text(ResultTable table, int row, int column) {
    if (table.isNull(row, column)) {
      return "NULL";
    } else if (table.kind(column) == ValueKind.DOUBLE) {
      return rounded(table.doubleValue(row, column));
    } else if (table.kind(column) == ValueKind.DURATION) {
      return table.longValue(row, column) + " us";
    }
    return table.formatted(row, column);
  }
}
