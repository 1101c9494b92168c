package org.flowmon.udaf.expression;

/**
 * TRUE, FALSE or NULL for up to {@link Vector#CAPACITY} rows, as two bitmaps: NULL is in neither.
 */
final class Truth {
  final long[] isTrue = new long[Vector.WORDS];
  final long[] isFalse = new long[Vector.WORDS];
}
