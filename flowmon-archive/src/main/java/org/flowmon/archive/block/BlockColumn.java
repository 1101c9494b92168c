package org.flowmon.archive.block;

/** The values of one column of a {@link FlowBlock}, which never change. */
final class BlockColumn {
  /** Numbers, and low longs of addresses; null of texts. 0 if a value is NULL. */
  final long[] low;

  /** High longs of addresses; null of all else. */
  final long[] high;

  /** Texts; null of all else. */
  final String[] text;

  /** Null if no value is NULL. */
  final boolean[] isNull;

  BlockColumn(long[] low, long[] high, String[] text, boolean[] isNull) {
    this.low = low;
    this.high = high;
    this.text = text;
    this.isNull = isNull;
  }
}
