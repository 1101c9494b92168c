package org.flowmon.archive.segment.reader;

import java.util.Objects;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a segment as rows 0 … n − 1, so that a predicate or expression runs over the result
 * of an index lookup. Reused by {@link #select}. Not thread-safe.
 */
public final class SelectedRows implements EncodedRows {
  private final SegmentReader segment;
  private int[] selected = {};
  private int count;
  private int[] part = {};

  public SelectedRows(SegmentReader segment) {
    this.segment = segment;
  }

  /** Selects {@code n} row numbers, which are read until the next call, not copied. */
  public SelectedRows select(int[] rows, int n) {
    Objects.checkFromIndexSize(0, n, rows.length);
    this.selected = rows;
    this.count = n;
    return this;
  }

  @Override
  public int rows() {
    return count;
  }

  @Override
  public Presence presence(FlowColumn column) {
    return segment.presence(column);
  }

  @Override
  public void readIds(FlowColumn column, int from, int n, int[] out) {
    segment.gatherIds(column, part(from, n), n, out);
  }

  private int[] part(int from, int n) {
    Objects.checkFromIndexSize(from, n, count);
    if (from == 0) {
      return selected;
    }
    if (part.length < n) {
      part = new int[n];
    }
    System.arraycopy(selected, from, part, 0, n);
    return part;
  }

  @Override
  public void readLongs(FlowColumn column, int from, int n, long[] out) {
    segment.gatherLongs(column, part(from, n), n, out);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int n, long[] hi, long[] lo) {
    segment.gatherAddresses(column, part(from, n), n, hi, lo);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int n, long[] words) {
    segment.gatherValidity(column, part(from, n), n, words);
  }

  @Override
  public @Nullable String text(FlowColumn column, int row) {
    return segment.text(column, selected[Objects.checkIndex(row, count)]);
  }

  @Override
  public void readTexts(FlowColumn column, int from, int n, @Nullable String[] out) {
    segment.gatherTexts(column, part(from, n), n, out);
  }
}
