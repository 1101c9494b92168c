package org.flowmon.archive.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Makes the archives under {@code src/test/resources/golden}, one for each version of the formats,
 * and beside them {@code rows.txt} with the rows of each: from the batches, without code of the
 * archive. An existing archive is never made again; a new version of a format gets a new one:
 *
 * <pre>
 *   java -cp … org.flowmon.archive.golden.GoldenArchive src/test/resources/golden/NAME OPTIONS
 * </pre>
 */
final class GoldenArchive {
  static final String SHA_256 = "5f".repeat(32);
  static final long START = 1_790_000_000_000_000L;

  private GoldenArchive() {}

  /** Columns of the golden rows: columns of later schemas do not change them. */
  static List<FlowColumn> columns() {
    return FlowColumn.all().stream().filter(c -> c.id() <= 43).toList();
  }

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    List<String> lines = new ArrayList<>();
    try (Archive archive = Archive.create(directory, new ArchiveOptions(2, 16))) {
      archive.setSegmentOptions(SegmentOptions.parse(arguments[1]));
      commit(archive, 0, 1, ranges(0, 4), lines);
      commit(archive, 1, 150, ranges(4, 9), lines);
      commit(archive, 2, 60, null, lines);
      commit(archive, 3, 37, ranges(12, 20), lines);
    }
    deleteLeases(directory);
    Files.write(directory.resolveSibling("rows.txt"), lines);
  }

  static void deleteLeases(Path directory) throws IOException {
    try (var leases = Files.list(directory.resolve("leases"))) {
      for (Path lease : leases.toList()) {
        Files.delete(lease);
      }
    }
  }

  static List<SourceRange> ranges(long first, long end) {
    return List.of(
        new SourceRange("topic:0", first, end, START + first, START + end, false),
        new SourceRange("topic:1", first, end, START + first, START + end, end == 20));
  }

  static void commit(
      Archive archive, int segment, int rows, List<SourceRange> ranges, List<String> lines)
      throws IOException {
    FlowBatch batch = batch(segment, 0, rows);
    SealedSegment sealed =
        archive.seal(archive.newSegmentWriter(), List.of(batch), Provenance.of("golden", "yes"));
    archive.commit(
        ranges == null
            ? ArchiveCommit.ofFile(
                List.of(sealed), new ImportedFile(SHA_256, "golden.log", 77), false, "golden")
            : ArchiveCommit.ofRanges(List.of(sealed), ranges, "golden"));
    addLines(batch, lines);
  }

  static void addLines(FlowBatch batch, List<String> lines) {
    for (int row = 0; row < batch.rows(); row++) {
      lines.add(line(batch, row));
    }
  }

  /** A row as text: every column that is not NULL. */
  static String line(FlowBatch batch, int row) {
    StringBuilder line = new StringBuilder();
    for (FlowColumn column : columns()) {
      if (!batch.isNull(column, row)) {
        String value =
            switch (column.type()) {
              case ADDRESS -> batch.getAddress(column, row).toString();
              case TEXT -> batch.text(column, row);
              default -> Long.toString(batch.getLong(column, row));
            };
        line.append(column.sqlName()).append('=').append(value).append('\t');
      }
    }
    return line.toString();
  }

  /** Rows in the order of their time keys, all with different times. */
  static FlowBatch batch(int segment, int from, int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int i = from; i < from + rows; i++) {
      long n = segment * 1000L + i;
      long time = START + n * 1_000_003;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      for (FlowColumn column : columns()) {
        boolean missing =
            column == FlowColumn.ARRIVAL
                || (column.id() % 5 == 2 && (i + column.id()) % 7 == 3)
                || (segment == 3 && column.id() % 2 == 0);
        if (!missing) {
          set(builder, column, n, time);
        }
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, segment, rows, 0));
  }

  private static void set(FlowBatchBuilder builder, FlowColumn column, long n, long time) {
    // Some columns have few values, some many, some one.
    long value = column.id() % 3 == 0 ? n % 5 : column.id() % 3 == 1 ? n * 7919 : 9;
    switch (column.type()) {
      case ADDRESS -> {
        if (n % 11 == 4) {
          builder.setAddress(column, 0x2001_0db8_0000_0000L, value);
        } else {
          builder.setAddress(column, 0, IpAddress.ipv4Low(0x0900_0001 + (int) value * 0x10_0001));
        }
      }
      case TEXT -> builder.setText(column, value == 0 ? "" : "flöw " + value);
      case TIMESTAMP -> {
        // Some clocks run two hours ahead. Their rows are sorted like ones an hour ahead.
        long ahead = n % 31 == 30 ? 7_200_000_000L : 0;
        builder.set(column, time - 1000 * value % 900_000 + ahead);
      }
      case DURATION -> builder.set(column, value * 1000 - 5);
      default -> builder.set(column, value & column.type().maxValue());
    }
  }
}
