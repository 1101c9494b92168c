package org.flowmon.archive.segment.writer;

import java.util.Arrays;
import java.util.Collection;
import org.flowmon.archive.index.DistinctTexts;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * One column of all rows of a segment, in its order, without nulls: the i-th value belongs to the
 * i-th row that is not null. Refilled column by column. Not thread-safe.
 */
public final class ColumnValues {
  private static final int BLOCK = 4096;

  private final long[] blockLow = new long[BLOCK];
  private final long[] blockHigh = new long[BLOCK];
  private final long[] blockValid = new long[BLOCK >>> 6];
  private final ByteSink blockTexts = new ByteSink();
  private final int[] blockEnds = new int[BLOCK];

  /** Numbers, or the low longs of addresses. */
  long[] low = {};

  /** High longs of addresses; valid only if {@link #ipv4Only} is false. */
  long[] high = {};

  /** The texts of the column. */
  final DistinctTexts texts = new DistinctTexts();

  /** The number of each text in {@link #texts}. */
  int[] numbers = {};

  /** Bits of the rows that are not null; valid only if {@link #nulls} is not 0. */
  long[] valid = {};

  int count;

  int nulls;

  boolean ipv4Only;

  private int rows;

  boolean load(
      FlowColumn column,
      Collection<? extends FlowRows> parts,
      int totalRows,
      int @Nullable [] rank) {
    rows = totalRows;
    nulls = 0;
    boolean absent = true;
    boolean dense = true;
    for (FlowRows part : parts) {
      FlowRows.Presence presence = part.rows() == 0 ? null : part.presence(column);
      absent &= presence == null || presence == FlowRows.Presence.ABSENT;
      dense &=
          presence == null
              || presence == FlowRows.Presence.DENSE
              || presence == FlowRows.Presence.CONSTANT;
    }
    if (absent) {
      return false;
    }
    makeRoom(column);
    int base = 0;
    for (FlowRows part : parts) {
      for (int from = 0; from < part.rows(); from += BLOCK) {
        int n = Math.min(BLOCK, part.rows() - from);
        if (!dense) {
          loadValidity(column, part, from, n, rank, base);
        }
        if (column.type() == ColumnType.TEXT) {
          loadTexts(column, part, from, n, dense, rank, base);
        } else {
          loadBlock(column, part, from, n, rank, base);
        }
        base += n;
      }
    }
    count = rows;
    if (!dense) {
      compact(column);
    }
    return count > 0;
  }

  /** The number of rows with a value, {@code from} a multiple of 64. */
  int countValid(int from, int n) {
    int sum = 0;
    for (int i = 0; i < n; i += 64) {
      long mask = n - i >= 64 ? -1L : (1L << (n - i)) - 1;
      sum += Long.bitCount(valid[(from + i) >>> 6] & mask);
    }
    return sum;
  }

  private void makeRoom(FlowColumn column) {
    int words = (rows + 63) >>> 6;
    if (valid.length < words) {
      valid = new long[words];
    }
    Arrays.fill(valid, 0, words, 0);
    if (column.type() == ColumnType.TEXT) {
      texts.clear();
      if (numbers.length < rows) {
        numbers = new int[rows];
      }
      return;
    }
    if (low.length < rows) {
      low = new long[rows];
    }
    if (column.type() == ColumnType.ADDRESS) {
      ipv4Only = true;
    }
  }

  /** Of a block whose validity is loaded, unless all have a text. */
  private void loadTexts(
      FlowColumn column,
      FlowRows part,
      int from,
      int n,
      boolean dense,
      int @Nullable [] rank,
      int base) {
    blockTexts.clear();
    part.readUtf8(column, from, n, blockTexts, blockEnds);
    byte[] bytes = blockTexts.array();
    int start = 0;
    for (int i = 0; i < n; i++) {
      if (dense || (blockValid[i >>> 6] >>> i & 1) != 0) {
        int number = texts.number(bytes, start, blockEnds[i]);
        numbers[rank == null ? base + i : rank[base + i]] = number;
      }
      start = blockEnds[i];
    }
  }

  private void loadBlock(
      FlowColumn column, FlowRows part, int from, int n, int @Nullable [] rank, int base) {
    if (column.type() == ColumnType.ADDRESS) {
      part.readAddresses(column, from, n, blockHigh, blockLow);
      scatter(blockLow, n, low, rank, base);
      loadHigh(n, rank, base);
    } else {
      part.readLongs(column, from, n, blockLow);
      scatter(blockLow, n, low, rank, base);
    }
  }

  private static void scatter(long[] block, int n, long[] target, int @Nullable [] rank, int base) {
    if (rank == null) {
      System.arraycopy(block, 0, target, base, n);
      return;
    }
    for (int i = 0; i < n; i++) {
      target[rank[base + i]] = block[i];
    }
  }

  /** Stores high longs from the first block on that is not all IPv4; until then all are 0. */
  private void loadHigh(int n, int @Nullable [] rank, int base) {
    if (ipv4Only) {
      long other = 0;
      for (int i = 0; i < n; i++) {
        other |= blockHigh[i] | ((blockLow[i] >>> 32) ^ 0xFFFFL);
      }
      if (other == 0) {
        return;
      }
      if (high.length < rows) {
        high = new long[rows];
      } else {
        Arrays.fill(high, 0, rows, 0);
      }
      ipv4Only = false; // perhaps only for a null, which reads as ::; compact() looks again
    }
    scatter(blockHigh, n, high, rank, base);
  }

  private void loadValidity(
      FlowColumn column, FlowRows part, int from, int n, int @Nullable [] rank, int base) {
    part.readValidity(column, from, n, blockValid);
    for (int i = 0; i < n; i++) {
      int row = rank == null ? base + i : rank[base + i];
      valid[row >>> 6] |= (blockValid[i >>> 6] >>> i & 1) << row;
    }
  }

  private void compact(FlowColumn column) {
    int to = 0;
    boolean text = column.type() == ColumnType.TEXT;
    boolean wide = column.type() == ColumnType.ADDRESS && !ipv4Only;
    for (int row = 0; row < rows; row++) {
      if ((valid[row >>> 6] >>> row & 1) != 0) {
        if (text) {
          numbers[to] = numbers[row];
        } else {
          low[to] = low[row];
          if (wide) {
            high[to] = high[row];
          }
        }
        to++;
      }
    }
    count = to;
    nulls = rows - to;
    if (wide) {
      ipv4Only = true;
      for (int i = 0; i < count && ipv4Only; i++) {
        ipv4Only = IpAddress.isIpv4(high[i], low[i]);
      }
    }
  }
}
