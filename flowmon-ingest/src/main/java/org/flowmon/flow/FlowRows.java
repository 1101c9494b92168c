package org.flowmon.flow;

import java.nio.charset.StandardCharsets;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * Rows of flows as columns, of a live batch or an archived segment: the input of every expression
 * and aggregate. Reads fill the caller's arrays, so that loops run over primitives. A null reads as
 * 0 (or {@code ::}); {@link #readValidity} tells it from a real 0.
 */
public interface FlowRows {
  /** The presence of a column's values. */
  enum Presence {
    ABSENT,
    /** The same value in every row, none null. */
    CONSTANT,
    DENSE,
    NULLABLE
  }

  int rows();

  Presence presence(FlowColumn column);

  /** Reads rows from {@code from} on into {@code out[0 … count)}; numeric columns only. */
  void readLongs(FlowColumn column, int from, int count, long[] out);

  void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo);

  /**
   * Bit {@code i & 63} of word {@code i >>> 6}: row {@code from + i} is not null; 0 past the last.
   */
  void readValidity(FlowColumn column, int from, int count, long[] words);

  @Nullable String text(FlowColumn column, int row);

  /** Null texts included; faster than {@link #text} for more than one row. */
  default void readTexts(FlowColumn column, int from, int count, @Nullable String[] out) {
    for (int i = 0; i < count; i++) {
      out[i] = text(column, from + i);
    }
  }

  /**
   * Appends the texts as UTF-8, nothing for a null; {@code ends[i]}: where that of row {@code from
   * + i} ends in {@code out}.
   */
  default void readUtf8(FlowColumn column, int from, int count, ByteSink out, int[] ends) {
    String[] texts = new String[count];
    readTexts(column, from, count, texts);
    for (int i = 0; i < count; i++) {
      if (texts[i] != null) {
        byte[] utf8 = texts[i].getBytes(StandardCharsets.UTF_8);
        out.write(utf8, 0, utf8.length);
      }
      ends[i] = out.size();
    }
  }
}
