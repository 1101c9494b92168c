package org.flowmon.archive.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Measure;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The rows and sums of golden archives, as text. */
final class GoldenRows {
  private GoldenRows() {}

  static Path folder() throws URISyntaxException {
    return Path.of(GoldenRows.class.getResource("/golden").toURI());
  }

  static Path copy(Path golden, Path copy) throws IOException {
    try (Stream<Path> files = Files.walk(golden)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(golden.relativize(file).toString()));
      }
    }
    return copy;
  }

  /**
   * Compares the sums by source of all sidecars, of hours and totals, with the rows.
   *
   * @return number of sums
   */
  static int checkSums(ArchiveSnapshot snapshot) throws IOException {
    int checked = 0;
    for (SealedSegment segment : snapshot.segments()) {
      try (SegmentLease lease = snapshot.open(segment, true)) {
        SegmentIndex index = lease.index();
        for (Rollup rollup :
            List.of(
                    Optional.ofNullable(index.hours(FlowColumn.SRC_ADDR)),
                    Optional.ofNullable(index.totals(FlowColumn.SRC_ADDR)))
                .stream()
                .flatMap(Optional::stream)
                .toList()) {
          assertEquals(rowsAndPackets(lease.rows()), rowsAndPackets(index, rollup), segment.id());
          checked++;
        }
      }
    }
    return checked;
  }

  private static Map<String, List<Long>> rowsAndPackets(SegmentReader rows) {
    Map<String, List<Long>> sums = new TreeMap<>();
    for (int row = 0; row < rows.rows(); row++) {
      String packets = value(rows, FlowColumn.PACKETS, row);
      sums.merge(
          String.valueOf(value(rows, FlowColumn.SRC_ADDR, row)),
          List.of(1L, packets == null ? 0 : Long.parseLong(packets)),
          GoldenRows::plus);
    }
    return sums;
  }

  private static Map<String, List<Long>> rowsAndPackets(SegmentIndex index, Rollup rollup) {
    Map<String, List<Long>> sums = new TreeMap<>();
    CellReader reader = new CellReader();
    int[] ids = new int[RollupFormat.BLOCK];
    long[] rows = new long[RollupFormat.BLOCK];
    long[] packets = new long[RollupFormat.BLOCK];
    for (int slice = 0; slice < rollup.slices(); slice++) {
      reader.open(rollup, slice);
      for (int block = 0; block < reader.blocks(); block++) {
        reader.readIds(block, ids);
        reader.read(rollup.rowsStream(), block, rows);
        reader.read(rollup.sumStream(Measure.of(FlowColumn.PACKETS)), block, packets);
        for (int cell = 0; cell < reader.cells(block); cell++) {
          String address =
              ids[cell] == rollup.nullId()
                  ? "null"
                  : index.address(FlowColumn.SRC_ADDR, ids[cell]).toString();
          sums.merge(address, List.of(rows[cell], packets[cell]), GoldenRows::plus);
        }
      }
    }
    return sums;
  }

  private static List<Long> plus(List<Long> a, List<Long> b) {
    return List.of(a.get(0) + b.get(0), a.get(1) + b.get(1));
  }

  /**
   * The visible rows of a segment and those before, in the format of {@link GoldenArchive#line}.
   */
  static List<String> lines(SegmentReader rows) {
    List<String> lines = new ArrayList<>();
    for (int row = 0; row < rows.rows(); row++) {
      StringBuilder line = new StringBuilder();
      for (FlowColumn column : FlowColumn.all()) {
        String value = value(rows, column, row);
        if (value != null) {
          line.append(column.sqlName()).append('=').append(value).append('\t');
        }
      }
      lines.add(line.toString());
    }
    return lines;
  }

  /** A value as text, null if there is none. */
  static String value(SegmentReader rows, FlowColumn column, int row) {
    long[] high = new long[1];
    long[] low = new long[1];
    rows.readValidity(column, row, 1, low);
    if ((low[0] & 1) == 0) {
      return null;
    }
    if (column.type() == ColumnType.TEXT) {
      return rows.text(column, row);
    } else if (column.type() == ColumnType.ADDRESS) {
      rows.readAddresses(column, row, 1, high, low);
      return new IpAddress(high[0], low[0]).toString();
    }
    rows.readLongs(column, row, 1, low);
    return Long.toString(low[0]);
  }
}
