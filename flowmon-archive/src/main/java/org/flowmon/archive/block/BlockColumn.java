package org.flowmon.archive.block;

import org.jspecify.annotations.Nullable;

/** The values of one column of a {@link FlowBlock}, which never change. */
final class BlockColumn {
  /** Numbers, and low longs of addresses; none of texts. 0 if a value is NULL. */
  final long[] low;

  /** High longs of addresses; none of all else. */
  final long[] high;

  /** Texts; none of all else. */
  final @Nullable String[] text;

  /** Null if no value is NULL. */
  final boolean @Nullable [] isNull;

  BlockColumn(long[] low, long[] high, @Nullable String[] text, boolean @Nullable [] isNull) {
    this.low = low;
    this.high = high;
    this.text = text;
    this.isNull = isNull;
  }
}
