package org.flowmon.archive.segment;

/**
 * A segment as a snapshot sees it: the facts by which another process reads the same rows.
 *
 * @param firstRow the first row that has not expired
 */
public record VisibleSegment(SealedSegment segment, int firstRow) {
  public VisibleSegment {
    if (firstRow < 0 || firstRow >= segment.rows()) {
      throw new IllegalArgumentException(
          String.format(
              "first row %d of segment %s, expected 0 … %d",
              firstRow, segment.id(), segment.rows() - 1));
    }
  }

  /** At least 1. */
  public int rows() {
    return segment.rows() - firstRow;
  }
}
