package org.flowmon.archive.query.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.flowmon.archive.query.plan.SegmentAccess.Way;
import org.junit.jupiter.api.Test;

class SegmentAccessTest {
  private static SegmentAccess piece(Way way) {
    return new SegmentAccess("s", 100, way, 1, 0, 0, 0, 0, 0, 0, 0);
  }

  /** Each part of a streamed answer plans its piece anew, and threads end in any order. */
  @Test
  void theWayOfASegmentIsTheSameWhicheverPieceComesFirst() {
    for (Way one : Way.values()) {
      for (Way other : Way.values()) {
        assertEquals(
            SegmentAccess.ofPieces(piece(one), piece(other)),
            SegmentAccess.ofPieces(piece(other), piece(one)));
      }
    }
    assertEquals(Way.INDEX, SegmentAccess.ofPieces(piece(Way.SCAN), piece(Way.INDEX)).way());
    assertEquals(Way.SCAN, SegmentAccess.ofPieces(piece(Way.NONE), piece(Way.SCAN)).way());
  }
}
