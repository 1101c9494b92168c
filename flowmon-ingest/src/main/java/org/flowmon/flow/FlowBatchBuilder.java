package org.flowmon.flow;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * Collects flows as columns and closes them into the bytes of a {@link FlowBatch}. Decoders write
 * straight into it, row by row or as a block, column by column:
 *
 * <pre>{@code
 * builder.beginRows(30); // or beginRow()
 * builder.setAll(FlowColumn.ARRIVAL, now);
 * builder.setColumn(FlowColumn.BYTES, bytes, null); // or set(FlowColumn.BYTES, 1500)
 * builder.endRows(); // or endRow()
 * byte[] batch = builder.build(producerId, sequence, cumulativeFlows, cumulativeLosses);
 * builder.clear();
 * }</pre>
 *
 * <p>A column that is not set in a row is null. The next {@link #beginRow} or {@link #discardRow}
 * drops a row that was not ended. Reused for its whole life: after the first rows it allocates only
 * in {@link #build}. Not thread-safe.
 */
public final class FlowBatchBuilder {
  /** As the mask of rows that are not null: all are. */
  public static final long[] ALL_SET = {};

  private static final byte[] NO_TEXT = {};

  // As the arrays by ordinal are long: later definitions are for later builders.
  private final List<FlowColumn> known = FlowColumn.all();
  private final int capacity;
  private int rows;
  private int openRow = -1;
  private int openCount;

  // By ordinal; empty until a column is first used, then reused. The text of a null is null.
  private final long[][] values = new long[known.size()][0];
  private final long[][] high = new long[known.size()][0];
  private final byte[][][] texts = new byte[known.size()][0][];
  private final long[][] valid = new long[known.size()][0];
  private final int[] count = new int[known.size()];

  /** Takes {@code capacity}: rows after which {@link #isFull}, 1 … {@link FlowBatch#MAX_ROWS}. */
  public FlowBatchBuilder(int capacity) {
    if (capacity < 1 || capacity > FlowBatch.MAX_ROWS) {
      throw new IllegalArgumentException(
          "capacity " + capacity + " is outside 1…" + FlowBatch.MAX_ROWS);
    }
    this.capacity = capacity;
  }

  public int rows() {
    return rows;
  }

  public boolean isEmpty() {
    return rows == 0;
  }

  public boolean isFull() {
    return rows == capacity;
  }

  public int free() {
    return capacity - rows;
  }

  /** All columns are null at first. Throws {@link IllegalStateException} if the builder is full. */
  public void beginRow() {
    beginRows(1);
  }

  /** All columns are null at first. Throws {@link IllegalStateException} beyond {@link #free}. */
  public void beginRows(int block) {
    discardRow();
    if (block < 1 || block > capacity - rows) {
      throw new IllegalStateException(
          "the batch holds " + rows + " of " + capacity + " rows, no room for " + block);
    }
    openRow = rows;
    openCount = block;
  }

  public void discardRow() {
    if (openRow < 0) {
      return;
    }
    for (int c = 0; c < known.size(); c++) {
      for (int row = openRow; valid[c].length > 0 && row < openRow + openCount; row++) {
        unset(c, row);
      }
    }
    openRow = -1;
  }

  private void unset(int c, int row) {
    if ((valid[c][row >>> 6] >>> row & 1) != 0) {
      valid[c][row >>> 6] &= ~(1L << row);
      values[c][row] = 0;
      if (high[c].length > 0) {
        high[c][row] = 0;
      }
      if (texts[c].length > 0) {
        texts[c][row] = null;
      }
      count[c]--;
    }
  }

  public void endRow() {
    if (openRow < 0) {
      throw new IllegalStateException("no row was begun");
    }
    openRow = -1;
    rows += openCount;
  }

  public void endRows() {
    endRow();
  }

  /** Throws {@link IllegalArgumentException} if the value does not fit the column's type. */
  public void setAll(FlowColumn column, long value) {
    ColumnEncoding.checkFits(column, value, value);
    int c = column.ordinal();
    markAll(c);
    Arrays.fill(values[c], openRow, openRow + openCount, value);
  }

  public void setAllAddress(FlowColumn column, long hi, long lo) {
    int c = addressColumn(column);
    markAll(c);
    Arrays.fill(high[c], openRow, openRow + openCount, hi);
    Arrays.fill(values[c], openRow, openRow + openCount, lo);
  }

  /**
   * Sets a numeric column of the open rows. The caller keeps the arrays.
   *
   * @param from the value of each open row; a null row may hold any value that fits the type
   * @param set bit {@code i & 63} of word {@code i >>> 6}: whether open row i is not null; bits
   *     past the last row are 0. {@link #ALL_SET} if no row is null
   * @throws IllegalArgumentException if a value does not fit the column's type
   */
  public void setColumn(FlowColumn column, long[] from, long[] set) {
    long min = 0;
    long max = 0;
    for (int i = 0; i < openCount; i++) {
      min = Math.min(min, from[i]);
      max = Math.max(max, from[i]);
    }
    ColumnEncoding.checkFits(column, min, max);
    int c = column.ordinal();
    mark(c, set);
    System.arraycopy(from, 0, values[c], openRow, openCount);
    zeroNulls(values[c], set);
  }

  /** Sets an address column of the open rows; the parameters are those of {@link #setColumn}. */
  public void setAddressColumn(FlowColumn column, long[] hi, long[] lo, long[] set) {
    int c = addressColumn(column);
    mark(c, set);
    System.arraycopy(hi, 0, high[c], openRow, openCount);
    System.arraycopy(lo, 0, values[c], openRow, openCount);
    zeroNulls(high[c], set);
    zeroNulls(values[c], set);
  }

  /**
   * Sets a text column. {@code set} is as in {@link #setColumn}; {@code from} has UTF-8, anything
   * for a null row, and its arrays are kept as in {@link #setText(FlowColumn, byte[])}.
   */
  public void setTextColumn(FlowColumn column, byte[][] from, long[] set) {
    int c = textColumn(column);
    mark(c, set);
    for (int i = 0; i < openCount; i++) {
      if (set.length == 0 || (set[i >>> 6] >>> i & 1) != 0) {
        ColumnEncoding.checkText(column, from[i]);
        texts[c][openRow + i] = from[i];
      }
    }
  }

  private void zeroNulls(long[] column, long[] set) {
    for (int i = 0; set.length > 0 && i < openCount; i++) {
      if ((set[i >>> 6] >>> i & 1) == 0) {
        column[openRow + i] = 0;
      }
    }
  }

  private int addressColumn(FlowColumn column) {
    if (column.type() != ColumnType.ADDRESS) {
      throw new IllegalArgumentException(
          column.sqlName() + " is " + column.type() + ", not ADDRESS");
    }
    int c = column.ordinal();
    if (high[c].length == 0) {
      high[c] = new long[capacity];
    }
    return c;
  }

  /** Throws {@link IllegalArgumentException} if the value does not fit the column's type. */
  public void set(FlowColumn column, long value) {
    ColumnEncoding.checkFits(column, value, value);
    mark(column.ordinal());
    values[column.ordinal()][openRow] = value;
  }

  public void setAddress(FlowColumn column, long hi, long lo) {
    int c = addressColumn(column);
    mark(c);
    high[c][openRow] = hi;
    values[c][openRow] = lo;
  }

  /** Sets an IPv4 address of the open row: 10.0.0.1 is 0x0A000001. */
  public void setIpv4(FlowColumn column, int address) {
    setAddress(column, 0, IpAddress.ipv4Low(address));
  }

  public void setAddress(FlowColumn column, IpAddress address) {
    setAddress(column, address.hi(), address.lo());
  }

  /** At most {@link FlowBatch#MAX_TEXT_BYTES} in UTF-8, else {@link IllegalArgumentException}. */
  public void setText(FlowColumn column, String text) {
    setText(column, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Sets a text from UTF-8 bytes, at most {@link FlowBatch#MAX_TEXT_BYTES}, else {@link
   * IllegalArgumentException}. The array is kept and never written to, so many rows may share it;
   * the caller must not change it. {@link FlowBatch#open} refuses invalid UTF-8.
   */
  public void setText(FlowColumn column, byte[] utf8) {
    ColumnEncoding.checkText(column, utf8);
    int c = textColumn(column);
    mark(c);
    texts[c][openRow] = utf8;
  }

  private int textColumn(FlowColumn column) {
    if (column.type() != ColumnType.TEXT) {
      throw new IllegalArgumentException(column.sqlName() + " is " + column.type() + ", not TEXT");
    }
    int c = column.ordinal();
    if (texts[c].length == 0) {
      texts[c] = new byte[capacity][];
    }
    return c;
  }

  public boolean isSet(FlowColumn column) {
    long[] words = valid[column.ordinal()];
    return openRow >= 0 && words.length > 0 && (words[openRow >>> 6] >>> openRow & 1) != 0;
  }

  /** Of an ended row, by number. */
  public boolean isNull(FlowColumn column, int row) {
    long[] words = valid[column.ordinal()];
    return words.length == 0 || (words[row >>> 6] >>> row & 1) == 0;
  }

  /** The number of an ended row, 0 for NULL; of an address the low 64 bits. */
  public long getLong(FlowColumn column, int row) {
    return isNull(column, row) ? 0 : values[column.ordinal()][row];
  }

  /** The high 64 bits of an ended row's address, 0 for NULL. */
  public long getHigh(FlowColumn column, int row) {
    return isNull(column, row) ? 0 : high[addressColumn(column)][row];
  }

  /** Of an ended row, as {@link #setText(FlowColumn, byte[])} took it; empty for NULL. */
  public byte[] getText(FlowColumn column, int row) {
    return isNull(column, row) ? NO_TEXT : texts[textColumn(column)][row];
  }

  /** Whether a row has a value. */
  public boolean hasAny(FlowColumn column) {
    return count[column.ordinal()] > 0;
  }

  private void allocate(int c) {
    if (openRow < 0) {
      throw new IllegalStateException("no row was begun");
    }
    if (valid[c].length == 0) {
      valid[c] = new long[(capacity + 63) >>> 6];
      values[c] = new long[capacity];
    }
  }

  private void markAll(int c) {
    allocate(c);
    for (int done = 0; done < openCount; ) {
      int row = openRow + done;
      int bits = Math.min(64 - (row & 63), openCount - done);
      markWord(c, row, -1L >>> (64 - bits));
      done += bits;
    }
  }

  private void mark(int c, long[] set) {
    if (set.length == 0) {
      markAll(c);
      return;
    }
    allocate(c);
    for (int word = 0; word << 6 < openCount; word++) {
      int row = openRow + (word << 6);
      int shift = row & 63;
      int bits = Math.min(64, openCount - (word << 6));
      long low = set[word] & (-1L >>> (64 - bits));
      markWord(c, row, shift == 0 ? low : low << shift >>> shift);
      if (shift > 0 && bits > 64 - shift) {
        markWord(c, row + 64 - shift, low >>> (64 - shift));
      }
    }
  }

  /** Marks row + i as set if bit i is set; all rows lie within one word. */
  private void markWord(int c, int row, long bits) {
    long now = valid[c][row >>> 6] | bits << row;
    count[c] += Long.bitCount(now) - Long.bitCount(valid[c][row >>> 6]);
    valid[c][row >>> 6] = now;
  }

  private void mark(int c) {
    allocate(c);
    long bit = 1L << openRow;
    if ((valid[c][openRow >>> 6] & bit) == 0) {
      valid[c][openRow >>> 6] |= bit;
      count[c]++;
    }
  }

  public void appendRow(FlowBatch from, int row) {
    beginRow();
    for (FlowColumn column : known) {
      if (from.isNull(column, row)) {
        continue;
      }
      switch (column.type()) {
        case ADDRESS -> setAddress(column, Objects.requireNonNull(from.getAddress(column, row)));
        case TEXT -> setText(column, Objects.requireNonNull(from.text(column, row)));
        default -> set(column, from.getLong(column, row));
      }
    }
    endRow();
  }

  public void clear() {
    discardRow();
    for (int c = 0; c < known.size(); c++) {
      if (count[c] > 0) {
        Arrays.fill(valid[c], 0, (rows + 63) >>> 6, 0);
        Arrays.fill(values[c], 0, rows, 0);
        if (high[c].length > 0) {
          Arrays.fill(high[c], 0, rows, 0);
        }
        if (texts[c].length > 0) {
          Arrays.fill(texts[c], 0, rows, null);
        }
        count[c] = 0;
      }
    }
    rows = 0;
  }

  /**
   * Closes the rows into the next batch of a stream and clears the builder. If it throws, the rows
   * stay in the builder and the stream is unchanged.
   *
   * @param losses flows that the producer lost so far
   * @throws IllegalStateException if a row has no arrival
   * @throws FlowFormatException if readers would refuse it, for example for a text that is not
   *     UTF-8
   */
  public FlowBatch close(BatchStream stream, long losses) {
    int closed = rows;
    long flows = stream.flows() + closed;
    FlowBatch batch = FlowBatch.open(build(stream.producerId(), stream.sequence(), flows, losses));
    stream.add(closed);
    clear();
    return batch;
  }

  /**
   * The bytes of the rows, which stay until {@link #clear}; the counts include them.
   *
   * @throws IllegalStateException if a row has no arrival, which every flow must have
   */
  public byte[] build(long producerId, long sequence, long cumulativeFlows, long cumulativeLosses) {
    discardRow();
    if (count[FlowColumn.ARRIVAL.ordinal()] != rows || rows == 0) {
      throw new IllegalStateException(
          String.format(
              "a batch has rows and each has an arrival: %s rows, %s arrivals",
              rows, count[FlowColumn.ARRIVAL.ordinal()]));
    }
    ColumnEncoding[] stored = new ColumnEncoding[known.size()];
    int columns = 0;
    int size = 0;
    for (int c = 0; c < known.size(); c++) {
      if (count[c] > 0) {
        stored[c] =
            new ColumnEncoding(
                known.get(c), rows, count[c], valid[c], values[c], high[c], texts[c]);
        columns++;
        size += FlowBatchLayout.align(stored[c].length());
      }
    }
    int at =
        FlowBatchLayout.align(FlowBatchLayout.HEADER_BYTES + columns * FlowBatchLayout.ENTRY_BYTES);
    byte[] bytes = new byte[at + size];
    FlowBatchLayout.writeHeader(
        bytes, rows, columns, producerId, sequence, cumulativeFlows, cumulativeLosses);
    writeRange(
        bytes,
        FlowColumn.END_TIME.ordinal(),
        FlowBatchLayout.MIN_END_AT,
        FlowBatchLayout.MAX_END_AT);
    writeRange(
        bytes,
        FlowColumn.ARRIVAL.ordinal(),
        FlowBatchLayout.MIN_ARRIVAL_AT,
        FlowBatchLayout.MAX_ARRIVAL_AT);
    int entry = FlowBatchLayout.HEADER_BYTES;
    for (ColumnEncoding column : stored) {
      if (column != null) {
        column.writeEntry(bytes, entry, at);
        column.writeTo(bytes, at);
        at += FlowBatchLayout.align(column.length());
        entry += FlowBatchLayout.ENTRY_BYTES;
      }
    }
    return bytes;
  }

  private void writeRange(byte[] bytes, int c, int minAt, int maxAt) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = 0; count[c] > 0 && i < rows; i++) {
      if ((valid[c][i >>> 6] >>> i & 1) != 0) {
        min = Math.min(min, values[c][i]);
        max = Math.max(max, values[c][i]);
      }
    }
    LittleEndian.putLong(bytes, minAt, min);
    LittleEndian.putLong(bytes, maxAt, max);
  }
}
