package org.flowmon.archive.manifest;

/**
 * What is committed of a source.
 *
 * @param maxArrival the largest arrival (µs), {@link Long#MIN_VALUE} where none is known
 */
record SourceState(OffsetRanges committed, long maxArrival, boolean retired) {
  static final SourceState NEW = new SourceState(OffsetRanges.NONE, Long.MIN_VALUE, false);

  SourceState with(SourceRange range) {
    return new SourceState(
        committed.with(range.firstOffset(), range.endOffset()),
        Math.max(maxArrival, range.maxArrival()),
        false);
  }
}
