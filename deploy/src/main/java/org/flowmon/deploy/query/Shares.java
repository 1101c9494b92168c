package org.flowmon.deploy.query;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Objects;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Adds to the rows of an answer each one's share of a total, and that of all rows up to it. */
final class Shares {
  static final String SHARE = "share";
  static final String CUMULATIVE = "cumulative_share";

  private Shares() {}

  /**
   * The same rows with two columns more, 0 … 1. Both are rounded once. A row without a value has no
   * share; without a total, or with a total of 0, there are no shares.
   *
   * @param measure the column of whole numbers that the shares are of
   */
  static ResultTable added(ResultTable rows, String measure, BigInteger total) {
    ResultTable.Builder builder = new ResultTable.Builder();
    for (int c = 0; c < rows.columnCount(); c++) {
      builder.column(rows.name(c), rows.kind(c));
    }
    builder.column(SHARE, ValueKind.DOUBLE).column(CUMULATIVE, ValueKind.DOUBLE);
    int from = Objects.checkIndex(rows.column(measure), rows.columnCount());
    BigInteger sum = BigInteger.ZERO;
    for (int r = 0; r < rows.rowCount(); r++) {
      builder.row();
      for (int c = 0; c < rows.columnCount(); c++) {
        copy(rows, r, c, builder);
      }
      if (total.signum() > 0) {
        if (!rows.isNull(r, from)) {
          BigInteger value = rows.bigValue(r, from);
          sum = sum.add(value);
          builder.set(rows.columnCount(), share(value, total));
        }
        builder.set(rows.columnCount() + 1, share(sum, total));
      }
    }
    return builder.build();
  }

  private static void copy(ResultTable rows, int row, int column, ResultTable.Builder to) {
    if (rows.isNull(row, column)) {
      return; // cells are NULL until they are set
    }
    switch (rows.kind(column)) {
      case TEXT -> to.set(column, rows.text(row, column));
      case DOUBLE -> to.set(column, rows.low(row, column));
      default -> to.set(column, rows.high(row, column), rows.low(row, column));
    }
  }

  /** The bits of a double. */
  private static long share(BigInteger part, BigInteger total) {
    BigDecimal share = new BigDecimal(part).divide(new BigDecimal(total), MathContext.DECIMAL128);
    return Double.doubleToLongBits(share.doubleValue());
  }
}
