package org.flowmon.archive.rollup;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one address column during sealing: by hour and outgoing if that pays, and by
 * outgoing alone. Reused for each segment. Not thread-safe.
 */
final class DimensionCells {
  // With fewer rows to a cell than this, reading cells saves too little for their size.
  private static final int ROWS_PER_CELL = 2;
  // With fewer hours, the totals have as many cells as the hours.
  private static final int HOURS_FOR_TOTALS = 3;

  private final CellNumbering byHour = new CellNumbering();
  private final CellNumbering total = new CellNumbering();
  private final List<CellSums> hourSums = new ArrayList<>();
  private final List<CellSums> totalSums = new ArrayList<>();
  private final RowRuns oneRun = new RowRuns();
  private final SliceEncoder encoder = new SliceEncoder();
  private int[] ids = {};
  private byte[] cellOutgoing = {};
  private int size;
  private int measures;
  private boolean hasHours;
  private boolean hasTotals;

  void begin() {
    hasHours = false;
    hasTotals = false;
    measures = 0;
  }

  /**
   * Numbers the cells of a segment; {@code of} has dictionary ids by row that is not NULL, {@code
   * valid} these rows' bits, null if all are.
   */
  void number(
      RowRuns runs,
      int rows,
      byte @Nullable [] outgoing,
      int sameOutgoing,
      int[] of,
      long @Nullable [] valid,
      int dictionarySize) {
    size = dictionarySize;
    int limit = rows / ROWS_PER_CELL;
    int[] idOf = valid == null ? of : spread(of, valid, rows);
    hasHours = byHour.number(runs, idOf, outgoing, sameOutgoing, rows, size + 1, limit);
    if (!hasHours) {
      hasTotals =
          total.number(oneRun.all(rows), idOf, outgoing, sameOutgoing, rows, size + 1, limit);
    } else if (runs.count >= HOURS_FOR_TOTALS) {
      if (cellOutgoing.length < byHour.cells) {
        cellOutgoing = new byte[byHour.cells];
      }
      for (int s = 0, cell = 0; s < byHour.slices; s++) {
        for (; cell < byHour.end[s]; cell++) {
          cellOutgoing[cell] = (byte) byHour.outgoing[s];
        }
      }
      int n = byHour.cells;
      hasTotals = total.number(oneRun.all(n), byHour.id, cellOutgoing, 0, n, size + 1, n);
      for (int cell = 0; cell < total.cells; cell++) {
        total.rows[cell] = 0;
      }
      for (int cell = 0; cell < n; cell++) {
        total.rows[total.cellOf[cell]] += byHour.rows[cell];
      }
    }
  }

  /** Ids of all rows, d for NULL. */
  private int[] spread(int[] of, long[] valid, int rows) {
    if (ids.length < rows) {
      ids = new int[rows];
    }
    int next = 0;
    for (int row = 0; row < rows; row++) {
      ids[row] = (valid[row >>> 6] >>> row & 1) != 0 ? of[next++] : size;
    }
    return ids;
  }

  /** Sums up a measure; columns come in the order of their ids, each before its estimate. */
  void measure(Measure measure, long[] values, int n, long @Nullable [] valid, boolean wide) {
    if (!hasHours && !hasTotals) {
      return;
    }
    if (measures == hourSums.size()) {
      hourSums.add(new CellSums());
      totalSums.add(new CellSums());
    }
    CellSums hours = hourSums.get(measures);
    CellSums totals = totalSums.get(measures++);
    boolean nulls = valid != null && !measure.isEstimate();
    if (hasHours) {
      hours.begin(measure, byHour.cells, nulls, wide);
      hours.add(byHour.cellOf, values, n, valid);
    }
    if (hasTotals) {
      totals.begin(measure, total.cells, nulls, wide);
      if (hasHours) {
        totals.add(total.cellOf, hours, byHour.cells);
      } else {
        totals.add(total.cellOf, values, n, valid);
      }
    }
  }

  boolean writeTotals(ByteSink out) {
    if (hasTotals) {
      encoder.write(total, null, totalSums.subList(0, measures), size, out);
    }
    return hasTotals;
  }

  boolean writeHours(RowRuns runs, ByteSink out) {
    if (hasHours) {
      encoder.write(byHour, runs, hourSums.subList(0, measures), size, out);
    }
    return hasHours;
  }
}
