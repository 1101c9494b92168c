package org.flowmon.archive.segment.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.RowsOracle;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.writer.EncodingChoice;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.files.SyncedFolders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dictionaries larger than the cache of decoded pages cost no page per row. */
class LargeDictionaryTest {
  private static final int ROWS = 20_000;
  private static final int BLOCK = 1000;
  private static final SegmentOptions COMPACT = SegmentOptions.parse("compact index=+bytes");
  // Fewer bytes than a dictionary of unique texts, and more than a page of its ids.
  private static final long SMALL = 300_000;

  @TempDir Path directory;

  /** Rows with a unique text, none in every tenth, and one of some thousand numbers of bytes. */
  private static List<FlowBatch> flows(int rows, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    List<FlowBatch> batches = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_790_000_000_000_000L + random.nextInt(1_000_000));
      builder.set(FlowColumn.BYTES, (random.nextInt(6000) * 0x9E37_79B9_7F4A_7C15L) >>> 1);
      if (random.nextInt(10) > 0) {
        builder.setText(FlowColumn.UID, "C" + Long.toString(random.nextLong() >>> 1, 36) + row);
      }
      builder.endRow();
      if (row % 1000 == 999 || row == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  /** A writer from before large dictionaries were left uncompressed. */
  private static SegmentWriter formerWriter() {
    return new SegmentWriter(COMPACT, SyncedFolders::sync, new EncodingChoice(Integer.MAX_VALUE));
  }

  private static void check(SegmentReader reader, List<Object[]> expected, String at) {
    int uid = FlowColumn.UID.ordinal();
    int rows = expected.size();
    String[] texts = new String[BLOCK];
    String[] gathered = new String[BLOCK];
    long[] numbers = new long[BLOCK];
    int[] some = new int[BLOCK];
    for (int from = 0; from < rows; from += BLOCK) {
      int n = Math.min(BLOCK, rows - from);
      for (int i = 0; i < n; i++) {
        some[i] = from + n - 1 - i;
      }
      reader.readTexts(FlowColumn.UID, from, n, texts);
      reader.gatherTexts(FlowColumn.UID, some, n, gathered);
      reader.readLongs(FlowColumn.BYTES, from, n, numbers);
      for (int i = 0; i < n; i++) {
        String where = at + ", row " + (from + i);
        Object[] row = expected.get(from + i);
        assertEquals(row[uid], texts[i], where);
        assertEquals(row[uid], gathered[n - 1 - i], where);
        assertEquals(row[uid], reader.text(FlowColumn.UID, from + i), where);
        assertEquals(row[FlowColumn.BYTES.ordinal()], numbers[i], where);
      }
    }
  }

  @Test
  void aDictionaryLargerThanTheCacheIsDecodedOnce() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      List<FlowBatch> flows = flows(ROWS, seed);
      SealedSegment sealed = formerWriter().seal(directory, flows, Provenance.NONE);
      DecodedPages cache = new DecodedPages(SMALL);
      try (SegmentReader reader = SegmentReader.open(directory, sealed, true, cache)) {
        assertTrue(reader.hasDictionary(FlowColumn.BYTES), "seed " + seed);
        check(reader, RowsOracle.sorted(flows), "seed " + seed);
        // One dictionary for each column; the pages of ids may be evicted and decoded for each
        // block.
        assertAtMost(2 + 2 * ROWS / BLOCK, cache.decoded(), "pages decoded, seed " + seed);
      }
    }
  }

  private static void assertAtMost(long most, long found, String what) {
    assertTrue(found <= most, what + ": " + found + ", expected at most " + most);
  }

  @Test
  void segmentsOfUniqueTextsAreMergedWithoutAPagePerRow() throws Exception {
    List<FlowBatch> first = flows(ROWS, 11);
    List<FlowBatch> second = flows(ROWS / 2, 12);
    SegmentWriter former = formerWriter();
    SealedSegment a = former.seal(directory, first, Provenance.NONE);
    SealedSegment b = former.seal(directory, second, Provenance.NONE);
    DecodedPages cache = new DecodedPages(SMALL);
    SealedSegment merged;
    try (SegmentReader one = SegmentReader.open(directory, a, true, cache);
        SegmentReader other = SegmentReader.open(directory, b, true, cache)) {
      merged = new SegmentWriter(COMPACT).seal(directory, List.of(one, other), Provenance.NONE);
    }
    assertAtMost(60, cache.decoded(), "pages decoded");
    List<FlowBatch> all = new ArrayList<>(first);
    all.addAll(second);
    assertEquals(List.of(), SegmentVerifier.verify(directory, merged));
    try (SegmentReader reader = SegmentReader.open(directory, merged)) {
      check(reader, RowsOracle.sorted(all), "merged");
    }
  }

  @Test
  void textsWhoseDictionaryIsTooLargeAreReadInPlace() throws Exception {
    List<FlowBatch> flows = flows(60_000, 21);
    SealedSegment sealed = new SegmentWriter(COMPACT).seal(directory, flows, Provenance.NONE);
    assertEquals(List.of(), SegmentVerifier.verify(directory, sealed));
    List<Object[]> expected = RowsOracle.sorted(flows);
    DecodedPages cache = new DecodedPages(SMALL);
    try (SegmentReader reader = SegmentReader.open(directory, sealed, true, cache)) {
      for (int row = 0; row < expected.size(); row++) {
        assertEquals(
            expected.get(row)[FlowColumn.UID.ordinal()],
            reader.text(FlowColumn.UID, row),
            "row " + row);
      }
      assertEquals(0, cache.decoded());
      check(reader, expected, "in place");
      assertTrue(cache.decoded() > 0, "numbers are compressed");
    }
  }

  @Test
  void numbersOfTooLargeADictionaryHaveNone() throws Exception {
    SegmentWriter writer =
        new SegmentWriter(COMPACT, SyncedFolders::sync, new EncodingChoice(40_000));
    List<FlowBatch> flows = flows(ROWS, 31);
    SealedSegment sealed = writer.seal(directory, flows, Provenance.NONE);
    assertEquals(List.of(), SegmentVerifier.verify(directory, sealed));
    try (SegmentReader reader = SegmentReader.open(directory, sealed)) {
      assertTrue(!reader.hasDictionary(FlowColumn.BYTES));
      check(reader, RowsOracle.sorted(flows), "no dictionary");
    }
  }
}
