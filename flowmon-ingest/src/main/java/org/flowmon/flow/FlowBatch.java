package org.flowmon.flow;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A read-only view of the bytes of about 1000 flows as columns. The same bytes are the Kafka value,
 * the record in the job and the input of the archive. Opening them parses the directory and copies
 * nothing.
 *
 * <p>Immutable and safe to share between threads: {@link #open} takes over the array, and nobody
 * may write to it afterwards.
 */
public final class FlowBatch implements FlowRows {
  /** The most rows of a batch. */
  public static final int MAX_ROWS = 1 << 16;

  /** The most UTF-8 bytes of a text value. */
  public static final int MAX_TEXT_BYTES = 1024;

  /** The most bytes of a batch. */
  public static final int MAX_BYTES = 64 << 20;

  /** The largest sequence number and cumulative count, so that sums do not overflow. */
  public static final long MAX_COUNT = 1L << 62;

  private static final int COLUMNS = FlowColumn.values().length;

  private final byte[] bytes;
  private final int rows;
  // By the ordinal of the column. Encoding 0: absent.
  private final int[] valuesAt = new int[COLUMNS];
  private final byte[] encoding = new byte[COLUMNS];
  private final byte[] stored = new byte[COLUMNS];

  private FlowBatch(byte[] bytes, int rows) {
    this.bytes = bytes;
    this.rows = rows;
  }

  /**
   * Opens a batch from untrusted bytes. Checks everything that later reads rely on: places, lengths
   * and values. Times may be any number. Codes that are unknown to this version are kept.
   *
   * @param bytes exactly one batch, which the caller must not change afterwards
   * @throws FlowFormatException naming the place, the value found and the value expected
   */
  public static FlowBatch open(byte[] bytes) {
    if (bytes.length < FlowBatchLayout.HEADER_BYTES) {
      throw new FlowFormatException(
          "a flow batch has at least "
              + FlowBatchLayout.HEADER_BYTES
              + " bytes, found "
              + bytes.length);
    }
    if (LittleEndian.getInt(bytes, 0) != FlowBatchLayout.MAGIC) {
      throw new FlowFormatException("not a flow batch: the first four bytes are not 'FLWB'");
    }
    int version = LittleEndian.getU16(bytes, FlowBatchLayout.VERSION_AT);
    if (version != FlowBatchLayout.VERSION) {
      throw new FlowFormatException(
          "flow batch of version " + version + ", this reads version " + FlowBatchLayout.VERSION);
    }
    int length = LittleEndian.getInt(bytes, FlowBatchLayout.LENGTH_AT);
    if (length != bytes.length || length > MAX_BYTES) {
      throw new FlowFormatException(
          "flow batch says it has " + length + " bytes, found " + bytes.length);
    }
    int rows = LittleEndian.getInt(bytes, FlowBatchLayout.ROWS_AT);
    if (rows < 0 || rows > MAX_ROWS) {
      throw new FlowFormatException("flow batch of " + rows + " rows, expected 0…" + MAX_ROWS);
    }
    int flags = LittleEndian.getU16(bytes, FlowBatchLayout.FLAGS_AT);
    if (flags != 0 && (flags != FlowBatchLayout.END_OF_INPUT || rows != 0)) {
      throw new FlowFormatException(
          String.format(
              "flow batch of %d rows with flags %#x, expected 0, or %#x (end of input) without"
                  + " rows",
              rows, flags, FlowBatchLayout.END_OF_INPUT));
    }
    FlowBatch batch = new FlowBatch(bytes, rows);
    batch.openDirectory();
    batch.checkCounts();
    batch.checkTimes();
    return batch;
  }

  private void checkCounts() {
    checkCount("sequence number", sequence());
    checkCount("cumulative flows", cumulativeFlows());
    checkCount("cumulative losses", cumulativeLosses());
  }

  private static void checkCount(String name, long count) {
    if (count < 0 || count > MAX_COUNT) {
      throw new FlowFormatException(
          "the header's " + name + " is " + count + ", expected 0 … " + MAX_COUNT);
    }
  }

  private void checkTimes() {
    Presence arrivals = presence(FlowColumn.ARRIVAL);
    if (rows > 0 && arrivals != Presence.CONSTANT && arrivals != Presence.DENSE) {
      throw new FlowFormatException(
          "column arrival is " + arrivals + ", expected a value in each of " + rows + " rows");
    }
    if (rows > 0) {
      column(FlowColumn.ARRIVAL).range(minArrival(), maxArrival());
    } else if (minArrival() != maxArrival()) {
      throw new FlowFormatException(
          "a heartbeat of arrivals "
              + minArrival()
              + " … "
              + maxArrival()
              + ", expected its one time twice");
    }
    if (rows > 0 && presence(FlowColumn.END_TIME) != Presence.ABSENT) {
      column(FlowColumn.END_TIME).range(minEndTime(), maxEndTime());
    } else {
      ColumnCheck.noRange(FlowColumn.END_TIME, minEndTime(), maxEndTime());
    }
  }

  private ColumnCheck column(FlowColumn column) {
    int c = column.ordinal();
    int width = column.type() == ColumnType.TEXT || isIpv4Only(column) ? 4 : column.type().width();
    return new ColumnCheck(column, bytes, rows, encoding[c], width, valuesAt[c]);
  }

  private void openDirectory() {
    int columns = LittleEndian.getU16(bytes, FlowBatchLayout.COLUMNS_AT);
    long end = FlowBatchLayout.HEADER_BYTES + (long) columns * FlowBatchLayout.ENTRY_BYTES;
    if (end > bytes.length) {
      throw new FlowFormatException(
          "the directory of "
              + columns
              + " columns ends at "
              + end
              + ", past the batch's "
              + bytes.length);
    }
    for (int i = 0; i < columns; i++) {
      int entry = FlowBatchLayout.HEADER_BYTES + i * FlowBatchLayout.ENTRY_BYTES;
      int id = bytes[entry] & 0xFF;
      FlowColumn column = FlowColumn.byId(id);
      if (column == null) {
        continue; // a newer writer's column, which this version does not read
      }
      int storedType = bytes[entry + 1] & 0xFF;
      int how = bytes[entry + 2] & 0xFF;
      long offset = LittleEndian.getInt(bytes, entry + 4) & 0xFFFF_FFFFL;
      long length = LittleEndian.getInt(bytes, entry + 8) & 0xFFFF_FFFFL;
      check(column, storedType, how, offset, length, end);
      int at = (int) offset;
      int c = column.ordinal();
      if (encoding[c] != 0) {
        throw new FlowFormatException(
            "column " + column.sqlName() + " stands twice in the directory");
      }
      encoding[c] = (byte) how;
      stored[c] = (byte) storedType;
      valuesAt[c] = how == FlowBatchLayout.NULLABLE ? at + FlowBatchLayout.bitmapBytes(rows) : at;
      if (column.type() == ColumnType.TEXT) {
        checkText(column, (int) (offset + length));
      }
      column(column).values();
    }
  }

  private void check(
      FlowColumn column, int storedType, int how, long offset, long length, long from) {
    boolean typeFits =
        storedType == column.type().code()
            || (column.type() == ColumnType.ADDRESS && storedType == FlowBatchLayout.STORED_IPV4);
    if (!typeFits) {
      throw new FlowFormatException(
          "column "
              + column.sqlName()
              + " is stored as type "
              + storedType
              + ", expected "
              + column.type());
    }
    if (how < FlowBatchLayout.CONSTANT || how > FlowBatchLayout.NULLABLE) {
      throw new FlowFormatException(
          "column " + column.sqlName() + " has the unknown encoding " + how);
    }
    if (offset < from || (offset & 7) != 0 || offset + length > bytes.length) {
      throw new FlowFormatException(
          "column "
              + column.sqlName()
              + " lies at "
              + offset
              + "+"
              + length
              + ", outside the batch's "
              + from
              + "…"
              + bytes.length);
    }
    int slots = how == FlowBatchLayout.CONSTANT ? 1 : rows;
    long needed = how == FlowBatchLayout.NULLABLE ? FlowBatchLayout.bitmapBytes(rows) : 0;
    if (column.type() == ColumnType.TEXT) {
      needed += 4L * (slots + 1);
    } else {
      needed +=
          (long) slots * (storedType == FlowBatchLayout.STORED_IPV4 ? 4 : column.type().width());
    }
    if (length < needed) {
      throw new FlowFormatException(
          "column "
              + column.sqlName()
              + " has "
              + length
              + " bytes, "
              + rows
              + " rows need "
              + needed);
    }
  }

  private void checkText(FlowColumn column, int end) {
    int c = column.ordinal();
    int slots = encoding[c] == FlowBatchLayout.CONSTANT ? 1 : rows;
    int text = valuesAt[c] + 4 * (slots + 1);
    int previous = 0;
    for (int i = 0; i <= slots; i++) {
      int offset = LittleEndian.getInt(bytes, valuesAt[c] + 4 * i);
      if (offset < previous
          || offset - previous > MAX_TEXT_BYTES
          || offset > end - text
          || (i == 0 && offset != 0)) {
        throw new FlowFormatException(
            "column "
                + column.sqlName()
                + ": text offset "
                + offset
                + " of row "
                + i
                + " is out of order or range");
      }
      previous = offset;
    }
    if (!Utf8.isAscii(bytes, text, text + previous)) {
      checkUtf8(column, slots, text);
    }
  }

  private void checkUtf8(FlowColumn column, int slots, int text) {
    int offsets = valuesAt[column.ordinal()];
    for (int i = 0; i < slots; i++) {
      int start = LittleEndian.getInt(bytes, offsets + 4 * i);
      int end = LittleEndian.getInt(bytes, offsets + 4 * (i + 1));
      if (!Utf8.isValid(bytes, text + start, text + end)) {
        throw new FlowFormatException(
            "column " + column.sqlName() + ": the text of row " + i + " is not UTF-8");
      }
    }
  }

  @Override
  public int rows() {
    return rows;
  }

  /** The bytes of this batch, which must not be written to. */
  public byte[] bytes() {
    return bytes;
  }

  /** The batch's producer: one id per start of a producer and target partition. */
  public long producerId() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.PRODUCER_AT);
  }

  /**
   * Whether this is a heartbeat that ends its producer's input. Its {@link #maxArrival} lets
   * windows close and does not show the producer's clock.
   */
  public boolean isEndOfInput() {
    return LittleEndian.getU16(bytes, FlowBatchLayout.FLAGS_AT) != 0;
  }

  /** The number of this batch within its producer's stream: from 0, without gaps. */
  public long sequence() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.SEQUENCE_AT);
  }

  /** Flows in this and all earlier batches of the producer's stream. */
  public long cumulativeFlows() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.CUMULATIVE_FLOWS_AT);
  }

  /** Flows that the producer knows it lost before this batch was closed. */
  public long cumulativeLosses() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.CUMULATIVE_LOSSES_AT);
  }

  /** Smallest end time in microseconds; {@link Long#MAX_VALUE} if no row has one. */
  public long minEndTime() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.MIN_END_AT);
  }

  /** Largest end time in microseconds; {@link Long#MIN_VALUE} if no row has one. */
  public long maxEndTime() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.MAX_END_AT);
  }

  /** Smallest arrival in microseconds; a heartbeat's own time if the batch has no rows. */
  public long minArrival() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.MIN_ARRIVAL_AT);
  }

  /** Largest arrival in microseconds; a heartbeat's own time if the batch has no rows. */
  public long maxArrival() {
    return LittleEndian.getLong(bytes, FlowBatchLayout.MAX_ARRIVAL_AT);
  }

  @Override
  public Presence presence(FlowColumn column) {
    return switch (encoding[column.ordinal()]) {
      case FlowBatchLayout.CONSTANT -> Presence.CONSTANT;
      case FlowBatchLayout.DENSE -> Presence.DENSE;
      case FlowBatchLayout.NULLABLE -> Presence.NULLABLE;
      default -> Presence.ABSENT;
    };
  }

  /** Whether the address column is stored as IPv4 only, as {@link #readIpv4} requires. */
  public boolean isIpv4Only(FlowColumn column) {
    return stored[column.ordinal()] == FlowBatchLayout.STORED_IPV4;
  }

  public boolean isNull(FlowColumn column, int row) {
    checkRange(row, 1);
    int c = column.ordinal();
    return switch (encoding[c]) {
      case 0 -> true;
      case FlowBatchLayout.NULLABLE -> (word(c, row >>> 6) >>> row & 1) == 0;
      default -> false;
    };
  }

  private long word(int c, int index) {
    return LittleEndian.getLong(bytes, valuesAt[c] - FlowBatchLayout.bitmapBytes(rows) + 8 * index);
  }

  /** One value of a numeric column; 0 for a null. */
  public long getLong(FlowColumn column, int row) {
    checkRange(row, 1);
    int c = column.ordinal();
    int slot = encoding[c] == FlowBatchLayout.CONSTANT ? 0 : row;
    if (encoding[c] == 0) {
      return 0;
    }
    int at = valuesAt[c];
    return switch (column.type()) {
      case BOOLEAN, UINT8 -> bytes[at + slot] & 0xFF;
      case UINT16 -> LittleEndian.getU16(bytes, at + 2 * slot);
      case UINT32 -> LittleEndian.getInt(bytes, at + 4 * slot) & 0xFFFF_FFFFL;
      case COUNT, TIMESTAMP, DURATION -> LittleEndian.getLong(bytes, at + 8 * slot);
      case ADDRESS, TEXT -> throw notLong(column);
    };
  }

  /** One address, or null. */
  public IpAddress getAddress(FlowColumn column, int row) {
    if (isNull(column, row)) {
      return null;
    }
    long[] hi = new long[1];
    long[] lo = new long[1];
    readAddresses(column, row, 1, hi, lo);
    return new IpAddress(hi[0], lo[0]);
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    checkRange(from, count);
    if (!column.type().isLong()) {
      throw notLong(column);
    }
    int c = column.ordinal();
    if (encoding[c] == 0) {
      Arrays.fill(out, 0, count, 0);
      return;
    }
    if (encoding[c] == FlowBatchLayout.CONSTANT) {
      Arrays.fill(out, 0, count, count == 0 ? 0 : getLong(column, from));
      return;
    }
    int at = valuesAt[c];
    switch (column.type().width()) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          out[i] = bytes[at + from + i] & 0xFF;
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          out[i] = LittleEndian.getU16(bytes, at + 2 * (from + i));
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          out[i] = LittleEndian.getInt(bytes, at + 4 * (from + i)) & 0xFFFF_FFFFL;
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          out[i] = LittleEndian.getLong(bytes, at + 8 * (from + i));
        }
      }
    }
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    checkRange(from, count);
    checkAddress(column);
    int c = column.ordinal();
    if (encoding[c] == 0) {
      Arrays.fill(hi, 0, count, 0);
      Arrays.fill(lo, 0, count, 0);
      return;
    }
    int at = valuesAt[c];
    boolean constant = encoding[c] == FlowBatchLayout.CONSTANT;
    if (isIpv4Only(column)) {
      Arrays.fill(hi, 0, count, 0);
      if (constant) {
        Arrays.fill(lo, 0, count, IpAddress.ipv4Low(LittleEndian.getInt(bytes, at)));
        return;
      }
      for (int i = 0; i < count; i++) {
        lo[i] = IpAddress.ipv4Low(LittleEndian.getInt(bytes, at + 4 * (from + i)));
      }
      if (encoding[c] == FlowBatchLayout.NULLABLE) {
        for (int i = 0; i < count; i++) {
          if (isNull(column, from + i)) {
            lo[i] = 0;
          }
        }
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      int slot = at + 16 * (constant ? 0 : from + i);
      hi[i] = LittleEndian.getLong(bytes, slot);
      lo[i] = LittleEndian.getLong(bytes, slot + 8);
    }
  }

  /**
   * Reads IPv4 addresses as integers (network order: 10.0.0.1 is 0x0A000001).
   *
   * @throws IllegalArgumentException if {@link #isIpv4Only} is false
   */
  public void readIpv4(FlowColumn column, int from, int count, int[] out) {
    checkRange(from, count);
    if (!isIpv4Only(column)) {
      throw new IllegalArgumentException(
          column.sqlName() + " does not hold IPv4 only in this batch");
    }
    int c = column.ordinal();
    int at = valuesAt[c];
    if (encoding[c] == FlowBatchLayout.CONSTANT) {
      Arrays.fill(out, 0, count, LittleEndian.getInt(bytes, at));
      return;
    }
    for (int i = 0; i < count; i++) {
      out[i] = LittleEndian.getInt(bytes, at + 4 * (from + i));
    }
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    checkRange(from, count);
    int c = column.ordinal();
    int last = (count + 63) >>> 6;
    if (encoding[c] == 0) {
      Arrays.fill(words, 0, last, 0);
      return;
    }
    if (encoding[c] != FlowBatchLayout.NULLABLE) {
      Arrays.fill(words, 0, last, -1L);
    } else {
      int total = (rows + 63) >>> 6;
      int shift = from & 63;
      for (int w = 0; w < last; w++) {
        int index = (from >>> 6) + w;
        long value = word(c, index) >>> shift;
        if (shift != 0 && index + 1 < total) {
          value |= word(c, index + 1) << (64 - shift);
        }
        words[w] = value;
      }
    }
    if ((count & 63) != 0) {
      words[last - 1] &= -1L >>> (64 - (count & 63));
    }
  }

  @Override
  public String text(FlowColumn column, int row) {
    if (column.type() != ColumnType.TEXT) {
      throw new IllegalArgumentException(column.sqlName() + " is " + column.type() + ", not TEXT");
    }
    if (isNull(column, row)) {
      return null;
    }
    int c = column.ordinal();
    boolean constant = encoding[c] == FlowBatchLayout.CONSTANT;
    int slots = constant ? 1 : rows;
    int slot = constant ? 0 : row;
    int start = LittleEndian.getInt(bytes, valuesAt[c] + 4 * slot);
    int end = LittleEndian.getInt(bytes, valuesAt[c] + 4 * (slot + 1));
    return new String(
        bytes, valuesAt[c] + 4 * (slots + 1) + start, end - start, StandardCharsets.UTF_8);
  }

  private void checkRange(int from, int count) {
    if (from < 0 || count < 0 || from > rows - count) {
      throw new IndexOutOfBoundsException("rows " + from + "+" + count + " of a batch of " + rows);
    }
  }

  private static void checkAddress(FlowColumn column) {
    if (column.type() != ColumnType.ADDRESS) {
      throw new IllegalArgumentException(
          column.sqlName() + " is " + column.type() + ", not ADDRESS");
    }
  }

  private static IllegalArgumentException notLong(FlowColumn column) {
    return new IllegalArgumentException(
        column.sqlName() + " is " + column.type() + ", not a number");
  }

  @Override
  public String toString() {
    return "FlowBatch["
        + rows
        + " rows, producer "
        + Long.toHexString(producerId())
        + " #"
        + sequence()
        + "]";
  }
}
