package org.flowmon.flow;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.LittleEndian;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of the bytes of about 1000 flows as columns: the Kafka value, the job's record
 * and the archive's input. Opening parses the directory and copies nothing. Immutable and
 * thread-safe: {@link #open} takes over the array, and nobody may write to it afterwards.
 */
public final class FlowBatch implements FlowRows {
  public static final int MAX_ROWS = 1 << 16;

  public static final int MAX_TEXT_BYTES = 1024;

  public static final int MAX_BYTES = 64 << 20;

  /** The largest sequence number and cumulative count, so that sums do not overflow. */
  public static final long MAX_COUNT = 1L << 62;

  private final byte[] bytes;
  private final int rows;
  // By index(column). 0 in encoding: absent.
  private final int[] valuesAt;
  private final byte[] encoding;
  private final byte[] stored;

  private FlowBatch(byte[] bytes, BatchDirectory directory) {
    this.bytes = bytes;
    this.rows = directory.rows;
    this.valuesAt = directory.valuesAt;
    this.encoding = directory.encoding;
    this.stored = directory.stored;
  }

  /**
   * Opens exactly one batch of untrusted bytes, which the caller must not change afterwards. Checks
   * all that reads rely on: places, lengths and values. Times may be any number. Codes that this
   * version does not know are kept.
   *
   * @throws FlowFormatException naming the place, the value found and the value expected
   */
  public static FlowBatch open(byte[] bytes) {
    BatchDirectory directory = BatchDirectory.read(bytes);
    FlowBatch batch = new FlowBatch(bytes, directory);
    directory.checkHeader(batch);
    return batch;
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

  /** A heartbeat that ends the input: {@link #maxArrival} closes windows, it is not the clock's. */
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
    return switch (encoding[index(column)]) {
      case FlowBatchLayout.CONSTANT -> Presence.CONSTANT;
      case FlowBatchLayout.DENSE -> Presence.DENSE;
      case FlowBatchLayout.NULLABLE -> Presence.NULLABLE;
      default -> Presence.ABSENT;
    };
  }

  /** The last entry is for columns defined after the batch was opened: absent. */
  private int index(FlowColumn column) {
    return Math.min(column.ordinal(), encoding.length - 1);
  }

  private boolean isIpv4Only(FlowColumn column) {
    return stored[index(column)] == FlowBatchLayout.STORED_IPV4;
  }

  public boolean isNull(FlowColumn column, int row) {
    checkRange(row, 1);
    int c = index(column);
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
    int c = index(column);
    int slot = encoding[c] == FlowBatchLayout.CONSTANT ? 0 : row;
    if (encoding[c] == 0) {
      return 0;
    }
    int at = valuesAt[c];
    return switch (column.type()) {
      case BOOLEAN, UINT8 -> bytes[at + slot] & 0xFF;
      case UINT16 -> LittleEndian.getU16(bytes, at + 2 * slot);
      case UINT32 -> LittleEndian.getInt(bytes, at + 4 * slot) & 0xFFFF_FFFFL;
      case COUNT, NUMBER, TIMESTAMP, DURATION -> LittleEndian.getLong(bytes, at + 8 * slot);
      case ADDRESS, TEXT -> throw notLong(column);
    };
  }

  public @Nullable IpAddress getAddress(FlowColumn column, int row) {
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
    int c = index(column);
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
    int c = index(column);
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

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    checkRange(from, count);
    int c = index(column);
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
  public @Nullable String text(FlowColumn column, int row) {
    if (column.type() != ColumnType.TEXT) {
      throw new IllegalArgumentException(column.sqlName() + " is " + column.type() + ", not TEXT");
    }
    if (isNull(column, row)) {
      return null;
    }
    int c = index(column);
    boolean constant = encoding[c] == FlowBatchLayout.CONSTANT;
    int slots = constant ? 1 : rows;
    int slot = constant ? 0 : row;
    int start = LittleEndian.getInt(bytes, valuesAt[c] + 4 * slot);
    int end = LittleEndian.getInt(bytes, valuesAt[c] + 4 * (slot + 1));
    return new String(
        bytes, valuesAt[c] + 4 * (slots + 1) + start, end - start, StandardCharsets.UTF_8);
  }

  @Override
  public void readUtf8(FlowColumn column, int from, int count, ByteSink out, int[] ends) {
    checkRange(from, count);
    if (column.type() != ColumnType.TEXT) {
      throw new IllegalArgumentException(column.sqlName() + " is " + column.type() + ", not TEXT");
    }
    int c = index(column);
    int offsets = valuesAt[c];
    if (encoding[c] == 0) {
      Arrays.fill(ends, 0, count, out.size());
    } else if (encoding[c] == FlowBatchLayout.CONSTANT) {
      int length = LittleEndian.getInt(bytes, offsets + 4);
      Objects.checkFromIndexSize(offsets + 8, length, bytes.length); // before room for it is made
      for (int i = 0; i < count; i++) {
        out.write(bytes, offsets + 8, length);
        ends[i] = out.size();
      }
    } else if (count > 0) { // a null has no bytes
      int first = LittleEndian.getInt(bytes, offsets + 4 * from);
      int shift = out.size() - first;
      for (int i = 0; i < count; i++) {
        ends[i] = LittleEndian.getInt(bytes, offsets + 4 * (from + i + 1)) + shift;
      }
      int text = offsets + 4 * (rows + 1) + first;
      int length = ends[count - 1] - out.size();
      Objects.checkFromIndexSize(text, length, bytes.length);
      out.write(bytes, text, length);
    }
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
