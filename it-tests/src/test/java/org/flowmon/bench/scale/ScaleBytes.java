package org.flowmon.bench.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.days.DaySums;
import org.flowmon.archive.directory.HostDirectory;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.bench.archive.SegmentFootprint;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Row;
import org.flowmon.flow.FlowColumn;

/** Breaks down an archive's bytes, and shows its growth with more rows. */
final class ScaleBytes {

  private static final List<FlowColumn> SIDES = List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR);

  private ScaleBytes() {}

  /** Bytes by kind of file and part. */
  static List<Row> bytes(Archive archive, ArchiveSnapshot snapshot) throws IOException {
    SegmentFootprint parts = new SegmentFootprint();
    for (SealedSegment segment : snapshot.segments()) {
      parts.add(archive.segmentsDirectory(), segment);
    }
    Map<String, Long> kinds = new LinkedHashMap<>();
    kinds.put("segments: columns", parts.bytes("column ") + parts.bytes("footer"));
    kinds.put("segments: binary dictionaries, tables", parts.bytes("tables"));
    kinds.put("sidecars: postings", parts.bytes("postings of ") + parts.bytes("sidecar footer"));
    kinds.put("sidecars: sums over all hours", parts.bytes("flowmon-totals-"));
    kinds.put("sidecars: sums by hour", parts.bytes("flowmon-hours-"));
    kinds.put(
        "host directory", BenchFolder.bytes(archive.directory().resolve(HostDirectory.FOLDER)));
    kinds.put("day sums", BenchFolder.bytes(archive.directory().resolve(DaySums.FOLDER)));
    kinds.put("manifest", BenchFolder.bytes(archive.directory().resolve(Manifest.FOLDER)));
    kinds.put("all", kinds.values().stream().mapToLong(Long::longValue).sum());
    List<Row> rows = new ArrayList<>();
    kinds.forEach(
        (kind, bytes) ->
            rows.add(
                new Row()
                    .put("kind", kind)
                    .put("bytes", bytes)
                    .put("bytes_per_row", bytes / (double) snapshot.rows())));
    return rows;
  }

  /**
   * Sums and distinct hosts: the more rows a day has, the fewer sums and hosts there are for each.
   */
  static Row growth(ArchiveSnapshot snapshot, int days) throws IOException {
    long hourCells = 0;
    long totalCells = 0;
    long entries = 0;
    for (SealedSegment segment : snapshot.segments()) {
      try (SegmentLease lease = snapshot.open(segment, true)) {
        SegmentIndex index = lease.index();
        if (index == null) {
          throw new IOException(segment.id() + ": " + lease.indexProblem());
        }
        for (FlowColumn side : SIDES) {
          hourCells += cells(index.hours(side));
          totalCells += cells(index.totals(side));
          entries += index.dictionarySize(side);
        }
      }
    }
    double rows = snapshot.rows();
    int segments = snapshot.segments().size();
    return new Row()
        .put("rows_per_day", snapshot.rows() / days)
        .put("segments", segments)
        .put("rows_per_segment", snapshot.rows() / segments)
        .put("cells_by_hour_per_day", hourCells / days)
        .put("cells_by_hour_per_row", hourCells / rows)
        .put("cells_over_all_hours_per_segment", totalCells / segments)
        .put("addresses_per_segment", entries / segments);
  }

  private static long cells(Rollup rollup) {
    long cells = 0;
    for (int slice = 0; rollup != null && slice < rollup.slices(); slice++) {
      cells += rollup.cells(slice);
    }
    return cells;
  }
}
