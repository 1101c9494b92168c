package org.flowmon.archive.rollup;

import java.util.List;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/** Writes cells as a blob. Not thread-safe. */
final class SliceEncoder {
  private final long[] block = new long[RollupFormat.BLOCK];
  private int offsetAt;
  private int dataStart;

  /** Appends a blob; hours are null for totals; {@code size} is the dictionary's. */
  void write(
      CellNumbering cells,
      @Nullable RowRuns runs,
      List<CellSums> measures,
      int size,
      ByteSink out) {
    int start = out.size();
    out.putInt(size);
    out.putInt(cells.slices);
    out.putInt(measures.size());
    for (CellSums measure : measures) {
      measure.measure.writeTo(out, measure.hasNulls, measure.wide);
    }
    int directory = out.size();
    for (int s = 0; s < cells.slices; s++) {
      out.putLong(runs == null ? 0 : runs.hour[cells.run[s]]);
      out.putInt(cells.outgoing[s]);
      out.putInt(cells.end[s] - (s == 0 ? 0 : cells.end[s - 1]));
      out.putLong(0); // offset and length, known below
    }
    for (int s = 0; s < cells.slices; s++) {
      int begin = out.size();
      writeSlice(cells, s == 0 ? 0 : cells.end[s - 1], cells.end[s], measures, out);
      int entry = directory + s * RollupFormat.SLICE_BYTES + 16;
      out.setInt(entry, begin - start);
      out.setInt(entry + 4, out.size() - begin);
    }
  }

  private void writeSlice(
      CellNumbering cells, int from, int to, List<CellSums> measures, ByteSink out) {
    int blocks = (to - from + RollupFormat.BLOCK - 1) / RollupFormat.BLOCK;
    int streams = RollupFormat.FIRST_MEASURE_STREAM;
    for (CellSums measure : measures) {
      streams += 1 + (measure.hasNulls ? 1 : 0) + (measure.wide ? 1 : 0);
    }
    dataStart = out.size();
    for (int b = 0; b < blocks; b++) {
      out.putInt(cells.id[from + b * RollupFormat.BLOCK]);
    }
    offsetAt = out.size();
    int directory = 4 * (streams * blocks + 1);
    out.reserve(directory);
    out.advance(directory);
    writeIds(cells.id, from, to, out);
    writeInts(cells.rows, from, to, out);
    for (CellSums measure : measures) {
      if (measure.hasNulls) {
        writeInts(measure.values, from, to, out);
      }
      writeLongs(measure.low, from, to, out);
      if (measure.wide) {
        writeLongs(measure.high, from, to, out);
      }
    }
    out.setInt(offsetAt, out.size() - dataStart);
  }

  private void beginBlock(ByteSink out) {
    out.setInt(offsetAt, out.size() - dataStart);
    offsetAt += 4;
  }

  private void writeIds(int[] ids, int from, int to, ByteSink out) {
    for (int at = from; at < to; at += RollupFormat.BLOCK) {
      int n = Math.min(RollupFormat.BLOCK, to - at);
      block[0] = 0;
      for (int i = 1; i < n; i++) {
        block[i] = (long) ids[at + i] - ids[at + i - 1];
      }
      beginBlock(out);
      StreamVByte.encode(block, 0, n, out);
    }
  }

  private void writeInts(int[] values, int from, int to, ByteSink out) {
    for (int at = from; at < to; at += RollupFormat.BLOCK) {
      int n = Math.min(RollupFormat.BLOCK, to - at);
      for (int i = 0; i < n; i++) {
        block[i] = values[at + i];
      }
      beginBlock(out);
      StreamVByte.encode(block, 0, n, out);
    }
  }

  private void writeLongs(long[] values, int from, int to, ByteSink out) {
    for (int at = from; at < to; at += RollupFormat.BLOCK) {
      beginBlock(out);
      StreamVByte.encode(values, at, Math.min(RollupFormat.BLOCK, to - at), out);
    }
  }
}
