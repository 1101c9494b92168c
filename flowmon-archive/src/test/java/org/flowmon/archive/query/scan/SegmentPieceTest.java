package org.flowmon.archive.query.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.segment.SealedSegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentPieceTest {
  @TempDir Path directory;

  @Test
  void whatPostingsFoundIsForgottenWithTheLastPiece() throws Exception {
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      SealedSegment segment = Traffic.commit(archive, new Traffic(1, false, 0).batches(900, 0, 1));
      List<List<SegmentPiece>> ways =
          List.of(
              SegmentPiece.whole(List.of(segment)),
              SegmentPiece.cut(List.of(segment), 3, 100),
              SegmentPiece.cutInOrder(List.of(segment), 3, 100));
      for (List<SegmentPiece> pieces : ways) {
        assertEquals(pieces.get(0).of(), pieces.size());
        for (SegmentPiece piece : pieces) {
          RowAccess found = new RowAccess.Postings(RowSet.range(0, 7), true, DictionaryFilter.NONE);
          piece.access().planned(() -> found);
          assertFalse(piece.access().isEmpty());
          piece.access().pieceDone();
        }
        assertTrue(pieces.get(0).access().isEmpty());
      }
    }
  }
}
