package org.flowmon.archive.days;

import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Sums by day as plain text: of rows by brute force, and of runs. */
final class DayCells {
  /** Columns and their estimates. */
  static final List<Measure> WITH_ESTIMATES =
      RollupFormat.MEASURES.stream()
          .flatMap(column -> Stream.of(Measure.of(column), Measure.estimateOf(column)))
          .toList();

  /** Columns alone. */
  static final List<Measure> WITHOUT_ESTIMATES =
      RollupFormat.MEASURES.stream().map(Measure::of).toList();

  private DayCells() {}

  /** By day, outgoing and address: rows, then of each measure values and sum. */
  static Map<String, String> ofRows(
      FlowColumn column, List<Measure> measures, List<FlowBatch> flows) {
    Map<String, BigInteger[]> cells = new TreeMap<>();
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        Long end = number(batch, FlowColumn.END_TIME, row);
        Long outgoing = number(batch, FlowColumn.OUTGOING, row);
        IpAddress address = address(batch, column, row);
        BigInteger[] cell =
            cells.computeIfAbsent(
                key(
                    end == null ? DayRunFormat.NO_DAY : DayRunFormat.day(end),
                    outgoing == null ? RollupFormat.OUTGOING_NULL : outgoing.intValue(),
                    address),
                k -> zeros(measures));
        cell[0] = cell[0].add(BigInteger.ONE);
        Long rate = number(batch, FlowColumn.SAMPLING_RATE, row);
        for (int m = 0; m < measures.size(); m++) {
          Long value = number(batch, measures.get(m).column(), row);
          if (value != null) {
            boolean times = measures.get(m).isEstimate() && rate != null;
            BigInteger factor = BigInteger.valueOf(times ? rate : 1);
            cell[1 + 2 * m] = cell[1 + 2 * m].add(BigInteger.ONE);
            cell[2 + 2 * m] = cell[2 + 2 * m].add(BigInteger.valueOf(value).multiply(factor));
          }
        }
      }
    }
    return text(cells);
  }

  private static BigInteger[] zeros(List<Measure> measures) {
    BigInteger[] zeros = new BigInteger[1 + 2 * measures.size()];
    java.util.Arrays.fill(zeros, BigInteger.ZERO);
    return zeros;
  }

  private static String key(long day, int outgoing, IpAddress address) {
    return day + " " + outgoing + " " + address;
  }

  private static Map<String, String> text(Map<String, BigInteger[]> cells) {
    Map<String, String> text = new TreeMap<>();
    cells.forEach((key, cell) -> text.put(key, List.of(cell).toString()));
    return text;
  }

  /** The sums of runs, added up, in the same form. */
  static Map<String, String> ofRuns(
      FlowColumn column, List<Measure> measures, Collection<DayRun> runs) {
    Map<String, BigInteger[]> cells = new TreeMap<>();
    for (DayRun run : runs) {
      Rollup rollup = run.rollup(column);
      for (int s = 0; rollup != null && s < rollup.slices(); s++) {
        run.verify(column, s);
        add(run.dictionary(column), rollup, s, measures, cells);
      }
    }
    return text(cells);
  }

  private static void add(
      DayDictionary dictionary,
      Rollup rollup,
      int slice,
      List<Measure> measures,
      Map<String, BigInteger[]> cells) {
    CellReader reader = new CellReader();
    reader.open(rollup, slice);
    int[] ids = new int[RollupFormat.BLOCK];
    long[] rows = new long[RollupFormat.BLOCK];
    long[] values = new long[RollupFormat.BLOCK];
    long[] low = new long[RollupFormat.BLOCK];
    long[] high = new long[RollupFormat.BLOCK];
    for (int b = 0; b < reader.blocks(); b++) {
      reader.readIds(b, ids);
      reader.read(rollup.rowsStream(), b, rows);
      for (int i = 0; i < reader.cells(b); i++) {
        BigInteger[] cell =
            cells.computeIfAbsent(key(rollup, slice, dictionary, ids[i]), k -> zeros(measures));
        cell[0] = cell[0].add(BigInteger.valueOf(rows[i]));
      }
      for (int m = 0; m < measures.size(); m++) {
        // What a run lacks is its column: else its shares have no estimates.
        Measure plain = Measure.of(measures.get(m).column());
        Measure measure = rollup.has(measures.get(m)) ? measures.get(m) : plain;
        if (!rollup.has(measure)) {
          continue;
        }
        reader.read(rollup.valuesStream(measure), b, values);
        reader.read(rollup.sumStream(measure), b, low);
        java.util.Arrays.fill(high, 0);
        if (rollup.highStream(measure) >= 0) {
          reader.read(rollup.highStream(measure), b, high);
        }
        for (int i = 0; i < reader.cells(b); i++) {
          BigInteger[] cell = cells.get(key(rollup, slice, dictionary, ids[i]));
          cell[1 + 2 * m] = cell[1 + 2 * m].add(BigInteger.valueOf(values[i]));
          cell[2 + 2 * m] =
              cell[2 + 2 * m]
                  .add(new BigInteger(Long.toUnsignedString(low[i])))
                  .add(BigInteger.valueOf(high[i]).shiftLeft(64));
        }
      }
    }
  }

  private static String key(Rollup rollup, int slice, DayDictionary dictionary, int id) {
    IpAddress address =
        id == rollup.nullId() ? null : new IpAddress(dictionary.high(id), dictionary.low(id));
    return key(rollup.hour(slice), rollup.outgoing(slice), address);
  }

  private static Long number(FlowBatch batch, FlowColumn column, int row) {
    long[] value = new long[1];
    batch.readValidity(column, row, 1, value);
    if (value[0] == 0) {
      return null;
    }
    batch.readLongs(column, row, 1, value);
    return value[0];
  }

  private static IpAddress address(FlowBatch batch, FlowColumn column, int row) {
    long[] high = new long[1];
    long[] low = new long[1];
    batch.readValidity(column, row, 1, low);
    if (low[0] == 0) {
      return null;
    }
    batch.readAddresses(column, row, 1, high, low);
    return new IpAddress(high[0], low[0]);
  }
}
