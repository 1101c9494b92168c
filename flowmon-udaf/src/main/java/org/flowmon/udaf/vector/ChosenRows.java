package org.flowmon.udaf.vector;

import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a batch one after the other: at most {@link Vector#CAPACITY}, ascending, and at most
 * that far apart. Reused. Not thread-safe.
 */
public class ChosenRows implements FlowRows {
  /** One of so many rows or fewer: they are read one by one. */
  private static final int SCATTERED = 8;

  /** 0, 1, 2 …: all of them. */
  public final int[] all = new int[Vector.CAPACITY];

  protected final int[] rowOf = new int[Vector.CAPACITY];
  protected int rows;

  @SuppressWarnings("NullAway.Init") // begin sets it
  private FlowBatch batch;

  private int from;
  private long choices;
  private long choice;
  private final long[] scratch = new long[Vector.CAPACITY];
  private final long[] lowScratch = new long[Vector.CAPACITY];
  private final long[] words = new long[Vector.CAPACITY / 64];
  private final @Nullable String[] texts = new String[Vector.CAPACITY];

  public ChosenRows() {
    Arrays.setAll(all, i -> i);
  }

  /** Rows are counted from {@code first} on; none is chosen yet. */
  public final void begin(FlowBatch of, int first) {
    batch = of;
    from = first;
    rows = 0;
    choice = 0;
  }

  public final void choose(int[] chosen, int n) {
    System.arraycopy(chosen, 0, rowOf, 0, n);
    rows = n;
    choice = ++choices;
  }

  /** A number of these rows, which later ones do not have; 0 if they were not chosen at once. */
  final long choice() {
    return choice;
  }

  @Override
  public final int rows() {
    return rows;
  }

  @Override
  public Presence presence(FlowColumn column) {
    return batch.presence(column);
  }

  /** The number of the batch's rows that some chosen ones span. */
  private int span(int first, int count) {
    return rowOf[first + count - 1] - rowOf[first] + 1;
  }

  /** Whether rows are read one by one rather than all that they span. */
  private boolean areScattered(int first, int count) {
    return count < span(first, count) / SCATTERED;
  }

  @Override
  public void readLongs(FlowColumn column, int first, int count, long[] out) {
    if (areScattered(first, count)) {
      for (int i = 0; i < count; i++) {
        out[i] = batch.getLong(column, from + rowOf[first + i]);
      }
      return;
    }
    int base = rowOf[first];
    batch.readLongs(column, from + base, span(first, count), scratch);
    for (int i = 0; i < count; i++) {
      out[i] = scratch[rowOf[first + i] - base];
    }
  }

  @Override
  public final void readAddresses(FlowColumn column, int first, int count, long[] hi, long[] lo) {
    if (areScattered(first, count)) {
      for (int i = 0; i < count; i++) {
        batch.readAddresses(column, from + rowOf[first + i], 1, scratch, lowScratch);
        hi[i] = scratch[0];
        lo[i] = lowScratch[0];
      }
      return;
    }
    int base = rowOf[first];
    batch.readAddresses(column, from + base, span(first, count), scratch, lowScratch);
    for (int i = 0; i < count; i++) {
      hi[i] = scratch[rowOf[first + i] - base];
      lo[i] = lowScratch[rowOf[first + i] - base];
    }
  }

  @Override
  public final void readValidity(FlowColumn column, int first, int count, long[] out) {
    int base = rowOf[first];
    batch.readValidity(column, from + base, span(first, count), words);
    Arrays.fill(out, 0, (count + 63) >>> 6, 0);
    for (int i = 0; i < count; i++) {
      int row = rowOf[first + i] - base;
      out[i >>> 6] |= (words[row >>> 6] >>> row & 1) << i;
    }
  }

  @Override
  public final @Nullable String text(FlowColumn column, int row) {
    return batch.text(column, from + rowOf[row]);
  }

  @Override
  public final void readTexts(FlowColumn column, int first, int count, @Nullable String[] out) {
    int base = rowOf[first];
    batch.readTexts(column, from + base, span(first, count), texts);
    for (int i = 0; i < count; i++) {
      out[i] = texts[rowOf[first + i] - base];
    }
  }
}
