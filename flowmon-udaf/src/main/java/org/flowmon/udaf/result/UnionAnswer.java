package org.flowmon.udaf.result;

import java.util.List;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** The rows of {@code UNION ALL}. */
public final class UnionAnswer {
  private static final int CHECKED = 1 << 16;

  private UnionAnswer() {}

  /** The rows of the parts' answers, one part after the other. */
  public static ResultTable of(TableQuery.Union union, List<ResultTable> parts, Runnable check) {
    ResultTable.Builder builder = new ResultTable.Builder();
    List<SelectItem> columns = union.select();
    columns.forEach(item -> builder.column(item.name(), item.what().kind()));
    for (ResultTable part : parts) {
      for (int row = 0; row < part.rowCount(); row++) {
        if (row % CHECKED == 0) {
          check.run();
        }
        builder.row();
        for (int c = 0; c < columns.size(); c++) {
          if (!part.isNull(row, c)) {
            set(builder, c, columns.get(c).resultKind(), part, row);
          }
        }
      }
    }
    return builder.build();
  }

  private static void set(
      ResultTable.Builder builder, int column, ValueKind kind, ResultTable part, int row) {
    switch (kind) {
      case TEXT -> builder.set(column, part.text(row, column));
      case DOUBLE -> builder.set(column, Double.doubleToRawLongBits(part.doubleValue(row, column)));
      default -> builder.set(column, part.high(row, column), part.low(row, column));
    }
  }
}
