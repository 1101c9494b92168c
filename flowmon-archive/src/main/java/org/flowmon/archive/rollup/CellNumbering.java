package org.flowmon.archive.rollup;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the cells of a rollup: rows of one run, one value of {@code outgoing} and one id are one
 * cell. Cells are numbered by run, then {@code outgoing}, then id: their order in the blob. A
 * bitmap for each {@code outgoing} marks the ids of a run; a cell's number is a rank in it, so that
 * nothing is hashed or sorted. Reused for each segment. Not thread-safe.
 */
final class CellNumbering {
  private static final int OUTGOING_VALUES = 3;

  /** By row: its cell. */
  int[] cellOf = {};

  /** By cell: its id. */
  int[] id = {};

  /** By cell: its rows. */
  int[] rows = {};

  int cells;

  /** By slice: run, outgoing, one past its last cell. */
  int[] run = new int[16];

  int[] outgoing = new int[16];
  int[] end = new int[16];

  int slices;

  private long[] marks = {};
  private int[] before = {};
  private int words;

  /**
   * Numbers the cells; false, with undefined fields, if there are more than {@code limit}. Ids and
   * outgoing (0, 1, 2) are by row; the latter is null if all are {@code sameOutgoing}. Ids are
   * below {@code size}.
   */
  boolean number(
      RowRuns runs,
      int[] ids,
      byte @Nullable [] outgoingOf,
      int sameOutgoing,
      int n,
      int size,
      int limit) {
    words = (size + 63) >>> 6;
    int marked = OUTGOING_VALUES * words;
    if (marks.length < marked) {
      marks = new long[marked];
      before = new int[marked];
    }
    if (cellOf.length < n) {
      cellOf = new int[n];
    }
    if (id.length < Math.min(n, limit)) {
      id = new int[Math.min(n, limit)];
      rows = new int[id.length];
    }
    cells = 0;
    slices = 0;
    int from = 0;
    for (int r = 0; r < runs.count; r++) {
      int to = runs.end[r];
      Arrays.fill(marks, 0, marked, 0);
      mark(runs.order, ids, outgoingOf, sameOutgoing, from, to);
      for (int o = 0; o < OUTGOING_VALUES; o++) {
        if ((outgoingOf != null || o == sameOutgoing) && !numberSlice(r, o, limit)) {
          return false;
        }
      }
      assign(runs.order, ids, outgoingOf, sameOutgoing, from, to);
      from = to;
    }
    return true;
  }

  private void mark(
      int @Nullable [] order, int[] ids, byte @Nullable [] outgoingOf, int same, int from, int to) {
    for (int i = from; i < to; i++) {
      int row = order == null ? i : order[i];
      int o = outgoingOf == null ? same : outgoingOf[row];
      marks[o * words + (ids[row] >>> 6)] |= 1L << ids[row];
    }
  }

  private boolean numberSlice(int theRun, int o, int limit) {
    int first = cells;
    for (int w = 0; w < words; w++) {
      long word = marks[o * words + w];
      before[o * words + w] = cells;
      if (word != 0 && Long.bitCount(word) > limit - cells) {
        return false;
      }
      for (; word != 0; word &= word - 1) {
        id[cells] = (w << 6) + Long.numberOfTrailingZeros(word);
        rows[cells++] = 0;
      }
    }
    if (cells > first) {
      if (slices == end.length) {
        run = Arrays.copyOf(run, 2 * slices);
        outgoing = Arrays.copyOf(outgoing, 2 * slices);
        end = Arrays.copyOf(end, 2 * slices);
      }
      run[slices] = theRun;
      outgoing[slices] = o;
      end[slices++] = cells;
    }
    return true;
  }

  private void assign(
      int @Nullable [] order, int[] ids, byte @Nullable [] outgoingOf, int same, int from, int to) {
    for (int i = from; i < to; i++) {
      int row = order == null ? i : order[i];
      int o = outgoingOf == null ? same : outgoingOf[row];
      int at = o * words + (ids[row] >>> 6);
      int cell = before[at] + Long.bitCount(marks[at] & ((1L << ids[row]) - 1));
      cellOf[row] = cell;
      rows[cell]++;
    }
  }
}
