package org.flowmon.deploy.export.row;

import java.io.IOException;
import java.math.BigInteger;
import java.util.List;

/** Rows to export, block by block; cells are of the current block of {@link #next}. */
public interface ExportRows extends AutoCloseable {
  List<ExportColumn> columns();

  /** Moves to the next block; false at the end. */
  boolean next() throws IOException;

  int rows();

  boolean isNull(int row, int column);

  /** A boolean (0 or 1), a whole number, time or duration, the bits of a double, or a low long. */
  long low(int row, int column);

  /** The high long of an address or of a number of 128 bits. */
  long high(int row, int column);

  /** Of a cell that is not NULL. */
  String text(int row, int column);

  default BigInteger big(int row, int column) {
    return BigInteger.valueOf(high(row, column))
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(low(row, column))));
  }

  @Override
  void close() throws IOException;
}
