package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.Repacker;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns named in an archive's options are found by postings, with the answers of a scan. */
class ConfiguredIndexTest {
  private static final int ROWS = 20_000;
  private static final long SEED = 77;
  private static final long START = 1_790_000_000_000_000L;

  @TempDir Path directory;

  private static FlowBatch flows() {
    SplittableRandom random = new SplittableRandom(SEED);
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int i = 0; i < ROWS; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, START + i);
      builder.set(FlowColumn.END_TIME, START + i - random.nextInt(100));
      builder.set(FlowColumn.BYTES, random.nextInt(4000));
      builder.set(FlowColumn.DURATION, random.nextInt(5000) - 100);
      builder.set(FlowColumn.STATE, random.nextInt(100) == 0 ? 4 : 3);
      if (random.nextInt(3) > 0) {
        builder.setText(
            FlowColumn.SERVICE, random.nextInt(50) == 0 ? "näme-" + random.nextInt(20) : "common");
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, ROWS, 0));
  }

  private QueryAnswer ask(SegmentOptions options, String where, boolean keepIndex)
      throws IOException {
    Path folder = directory.resolve(Integer.toHexString(options.hashCode()) + keepIndex);
    boolean made = Archive.exists(folder);
    try (Archive archive = Archive.openOrCreate(folder, ArchiveOptions.DEFAULTS)) {
      if (!made) {
        archive.setSegmentOptions(options);
        SealedSegment sealed =
            archive.seal(archive.newSegmentWriter(), List.of(flows()), Provenance.NONE);
        archive.commit(
            ArchiveCommit.ofRanges(
                List.of(sealed), List.of(new SourceRange("t:0", 0, 1, START)), "test"));
        if (!keepIndex) {
          Files.delete(archive.segmentsDirectory().resolve(sealed.indexFileName()));
        }
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        String sql = "SELECT COUNT(*) AS n, SUM(bytes) AS b FROM flows WHERE " + where;
        return ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS);
      }
    }
  }

  private static String text(QueryAnswer answer) {
    ResultTable table = answer.table();
    StringBuilder text = new StringBuilder();
    for (int c = 0; c < table.columnCount(); c++) {
      text.append(table.value(0, c)).append(' ');
    }
    return text.toString();
  }

  @Test
  void textsAndNumbersOf64BitsAreFoundByPostings() throws IOException {
    SegmentOptions indexed = SegmentOptions.parse("lookup index=+service,duration,bytes");
    SegmentOptions compact = SegmentOptions.parse("compact index=+service,duration,bytes");
    for (String where :
        List.of(
            "service = 'näme-7'",
            "service IN ('näme-7', 'näme-8', 'nowhere')",
            "service = 'nowhere'",
            "service > 'n'",
            "bytes BETWEEN 3 AND 9",
            "bytes = 17",
            "state = 4",
            "service = 'näme-7' AND bytes < 2000")) {
      String expected = text(ask(SegmentOptions.LOOKUP, where, false)); // without any sidecar
      for (SegmentOptions options : List.of(indexed, compact)) {
        QueryAnswer answer = ask(options, where, true);
        assertEquals(expected, text(answer), where);
        assertEquals(1, answer.stats().segmentsByIndex(), where);
        assertTrue(answer.stats().rowsExamined() < ROWS / 10, where);
      }
    }
    for (String where :
        List.of(
            "service IS NULL",
            "service IS NULL OR service = 'näme-7'",
            "NOT (service = 'common')",
            "service = 'common'",
            "state = 3")) {
      String expected = text(ask(SegmentOptions.LOOKUP, where, false));
      assertEquals(expected, text(ask(indexed, where, true)), where);
      assertEquals(expected, text(ask(compact, where, true)), where);
    }
  }

  @Test
  void whatIsWrittenAnewFollowsTheOptionsThatAreSetThen() throws IOException {
    try (Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment sealed =
          archive.seal(archive.newSegmentWriter(), List.of(flows()), Provenance.NONE);
      archive.commit(
          ArchiveCommit.ofRanges(
              List.of(sealed), List.of(new SourceRange("t:0", 0, 1, START)), "test"));
      assertEquals(SegmentOptions.LOOKUP.toString(), sealedWith(archive));
      SegmentOptions options = SegmentOptions.parse("compact codec=lz4 index=+service");
      archive.setSegmentOptions(options);
      assertEquals(SegmentOptions.LOOKUP.toString(), sealedWith(archive));
      Repacker repacker = new Repacker(archive);
      assertEquals(ROWS, repacker.step().rows());
      assertEquals(options.toString(), sealedWith(archive));
    }
  }

  /** The options in the footer of the only segment. */
  private static String sealedWith(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(1, snapshot.segments().size());
      Path file = archive.segmentsDirectory().resolve(snapshot.segments().get(0).fileName());
      String text = Files.readString(file, StandardCharsets.ISO_8859_1);
      int at = text.lastIndexOf("flowmon.options") + "flowmon.options".length();
      // Thrift: a byte for the field, the length as a varint, the text.
      int length = text.charAt(at + 1) < 0x80 ? text.charAt(at + 1) : text.charAt(at + 1) - 0x80;
      int from = at + 2;
      if (text.charAt(at + 1) >= 0x80) {
        length += text.charAt(at + 2) << 7;
        from++;
      }
      return text.substring(from, from + length);
    }
  }
}
