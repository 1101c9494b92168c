package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.Optional;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Builds tables, windows and histories with any columns. */
final class Tables {
  private final ResultTable.Builder table = new ResultTable.Builder();
  private final ValueKind[] kinds;

  /** Creates a table with columns as {@code name KIND}, a comma between them. */
  Tables(String columns) {
    String[] all = columns.split(", *", -1);
    kinds = new ValueKind[all.length];
    for (int c = 0; c < all.length; c++) {
      kinds[c] = ValueKind.valueOf(all[c].split(" ", 2)[1]);
      table.column(all[c].split(" ", 2)[0], kinds[c]);
    }
  }

  /** Adds a row; addresses as text, whole numbers as numbers, null as it is. */
  Tables row(Object... cells) {
    table.row();
    for (int c = 0; c < cells.length; c++) {
      if (cells[c] == null) {
        continue;
      }
      switch (kinds[c]) {
        case ADDRESS -> {
          IpAddress address = IpAddress.parse((String) cells[c]);
          table.set(c, address.hi(), address.lo());
        }
        case TEXT -> table.set(c, (String) cells[c]);
        default -> {
          BigInteger value =
              cells[c] instanceof BigInteger big
                  ? big
                  : BigInteger.valueOf(((Number) cells[c]).longValue());
          table.set(c, value.shiftRight(64).longValue(), value.longValue());
        }
      }
    }
    return this;
  }

  ResultTable build() {
    return table.build();
  }

  /** Returns a window that ends at {@link TestReports#END}. */
  static WindowResult window(long micros, ResultTable rows) {
    ResultTable totals = new ResultTable.Builder().build();
    ArrivalCounts counts = new ArrivalCounts(rows.rowCount(), 0, 0, 0);
    long end = TestReports.END;
    return new WindowResult("test", end - micros, end, rows, totals, rows.rowCount(), counts);
  }

  /** Returns exact history as of a minute before the end, with this start. */
  static HistoryAnswer history(long from, ResultTable rows) {
    long asOf = TestReports.END - 60 * TestReports.SECOND;
    return new HistoryAnswer(
        HistoryStatus.EXACT, asOf, from, asOf, LongRanges.NONE, Optional.of(rows), null);
  }

  /** Returns a failed lookup. */
  static HistoryAnswer failed() {
    return HistoryAnswer.without(HistoryStatus.FAILED, TestReports.END, "gone");
  }
}
