package org.flowmon.archive.retention;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.archive.segment.writer.SegmentWriter;

/** Writes the visible rows of a segment as a new segment. */
public final class SegmentTrimmer {
  private SegmentTrimmer() {}

  /** Seals rows from {@code firstRow} on, at least one; the writer has the archive's options. */
  public static SealedSegment trim(
      SegmentWriter writer,
      Path directory,
      SegmentReader segment,
      int firstRow,
      SegmentWriter.Owner owner)
      throws IOException {
    Provenance provenance = Provenance.of("trimmed", segment.sealed().id());
    return writer.seal(directory, List.of(rowsFrom(segment, firstRow)), provenance, owner);
  }

  public static SelectedRows rowsFrom(SegmentReader segment, int firstRow) {
    int[] rows = new int[segment.rows() - firstRow];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = firstRow + i;
    }
    return new SelectedRows(segment).select(rows, rows.length);
  }
}
