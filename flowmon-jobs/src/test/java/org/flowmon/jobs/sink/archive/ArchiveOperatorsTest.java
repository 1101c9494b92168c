package org.flowmon.jobs.sink.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.config.job.RetentionConfig;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.sink.ArchiveCommittable;
import org.flowmon.jobs.source.PositionedBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveOperatorsTest {
  private static final String KEY = "topic:0";
  private static final long START = TestFlow.START;

  @TempDir private Path directory;

  private String archive() {
    return directory.resolve("archive").toString();
  }

  private static PositionedBatch batch(long offset, int rows) {
    if (rows == 0) {
      byte[] beat = Heartbeat.of(1, offset, 0, 0, START + offset);
      return new PositionedBatch(KEY, offset, FlowBatch.open(beat), 0);
    }
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int row = 0; row < rows; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, START + offset);
      builder.setIpv4(FlowColumn.SRC_ADDR, row);
      builder.endRow();
    }
    return new PositionedBatch(KEY, offset, FlowBatch.open(builder.build(1, offset, 0, 0)), 0);
  }

  private static SourceRange range(long first, long end, long maxArrival) {
    return new SourceRange(KEY, first, end, START + first, START + maxArrival, false);
  }

  private OneInputStreamOperatorTestHarness<PositionedBatch, ArchiveCommittable> writer(
      int pieceRows) throws Exception {
    OneInputStreamOperatorTestHarness<PositionedBatch, ArchiveCommittable> harness =
        new OneInputStreamOperatorTestHarness<>(
            new ArchiveWriterOperator(ArchiveLocation.parse(archive()), pieceRows, 1, null),
            PositionedBatch.TYPE.createSerializer(new SerializerConfigImpl()));
    harness.setup(ArchiveCommittable.TYPE.createSerializer(new SerializerConfigImpl()));
    harness.open();
    return harness;
  }

  private OneInputStreamOperatorTestHarness<ArchiveCommittable, Void> committer() throws Exception {
    OneInputStreamOperatorTestHarness<ArchiveCommittable, Void> harness =
        new OneInputStreamOperatorTestHarness<>(
            new ArchiveCommitterOperator(ArchiveLocation.parse(archive()), 0, retention),
            ArchiveCommittable.TYPE.createSerializer(new SerializerConfigImpl()));
    harness.open();
    return harness;
  }

  /** Returns the writer's output for batches between two barriers. */
  private List<ArchiveCommittable> seal(int pieceRows, PositionedBatch... batches)
      throws Exception {
    try (var harness = writer(pieceRows)) {
      for (PositionedBatch batch : batches) {
        harness.processElement(new StreamRecord<>(batch));
      }
      harness.prepareSnapshotPreBarrier(1);
      return new ArrayList<>(harness.extractOutputValues());
    }
  }

  private void commit(ArchiveCommittable... committables) throws Exception {
    try (var harness = committer()) {
      for (ArchiveCommittable committable : committables) {
        harness.processElement(new StreamRecord<>(committable));
      }
      harness.prepareSnapshotPreBarrier(1);
    }
  }

  private long archivedRows() throws IOException {
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    }
  }

  private RetentionConfig retention;

  @Test
  void theLimitsOfTheConfigurationAreSetAtTheStartAndStayWhereNoneAreSaid() throws Exception {
    commit(seal(100, batch(0, 60), batch(1, 60)).get(0));
    assertEquals(120, archivedRows());
    retention = new RetentionConfig(100, 20, Duration.ZERO, 0);
    commit();
    assertEquals(100, archivedRows());
    retention = null;
    ArchiveCommittable more = seal(100, batch(2, 60)).get(0);
    commit(more);
    assertEquals(100, archivedRows());
    // Its flows are in the archive: the batch is now a repeat.
    commit(seal(100, batch(3, 90)).get(0));
    commit(more);
    assertEquals(100, archivedRows());
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(170, snapshot.expiredRows());
      assertTrue(snapshot.storedRows() <= 120, snapshot.storedRows() + " stored");
    }
  }

  @Test
  void piecesAreSealedAsTheyFillAndTheRestAtTheBarrier() throws Exception {
    List<ArchiveCommittable> sealed =
        seal(100, batch(5, 60), batch(6, 60), batch(7, 0), batch(8, 60), batch(9, 30));
    assertEquals(1, sealed.size());
    assertEquals(
        List.of(120, 90),
        sealed.get(0).segments().stream().map(segment -> segment.rows()).toList());
    assertEquals(List.of(range(5, 10, 9)), sealed.get(0).ranges());
  }

  @Test
  void heartbeatsExtendTheRangeWithoutASegment() throws Exception {
    List<ArchiveCommittable> sealed = seal(100, batch(0, 0), batch(1, 0));
    assertEquals(List.of(), sealed.get(0).segments());
    assertEquals(List.of(range(0, 2, 1)), sealed.get(0).ranges());
    assertEquals(List.of(), seal(100));
  }

  @Test
  void anEndOfInputEndsTheSourceAndIsNobodysClock() throws Exception {
    byte[] bytes = Heartbeat.endOfInput(1, 2, 0, 0, START + 3_600_000_000L);
    PositionedBatch mark = new PositionedBatch(KEY, 2, FlowBatch.open(bytes), 0);
    ArchiveCommittable ended = seal(100, batch(0, 1), batch(1, 0), mark).get(0);
    assertEquals(List.of(new SourceRange(KEY, 0, 3, START, START + 1, true)), ended.ranges());
    commit(ended);
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(START + 1, snapshot.historyThrough());
      assertTrue(snapshot.reaches(List.of(KEY), START + 2));
    }
    commit(seal(100, batch(3, 1)).get(0));
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(START + 3, snapshot.historyThrough());
      assertTrue(!snapshot.reaches(List.of(KEY), START + 4));
    }
  }

  @Test
  void aRepeatNeitherEndsASourceNorOpensItAgain() throws Exception {
    byte[] end = Heartbeat.endOfInput(1, 2, 0, 0, START + 3_600_000_000L);
    PositionedBatch mark = new PositionedBatch(KEY, 1, FlowBatch.open(end), 0);
    commit(seal(100, batch(0, 1), mark, repeat(2, batch(0, 1))).get(0));
    assertReached(3, START + 1, true);
    // another writer, which knows of the end only from the archive
    commit(seal(100, repeat(3, batch(0, 1))).get(0));
    assertReached(4, START + 1, true);
    commit(seal(100, batch(4, 1), repeat(5, mark)).get(0));
    assertReached(6, START + 5, false);
    assertEquals(2, archivedRows());
  }

  private static PositionedBatch repeat(long offset, PositionedBatch of) {
    return new PositionedBatch(KEY, offset, of.batch(), 0).asRepeat();
  }

  private void assertReached(long end, long arrival, boolean reached) throws IOException {
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(List.of(), snapshot.gaps());
      assertEquals(end, snapshot.committedEnd(KEY));
      assertEquals(reached, snapshot.reaches(List.of(KEY), arrival));
    }
  }

  @Test
  void whatTheArchiveHoldsIsSkippedAndItsGapsAreFilled() throws Exception {
    commit(seal(100, batch(0, 1), batch(1, 1)).get(0));
    commit(seal(100, batch(6, 1), batch(7, 1)).get(0)); // 2 … 5 were never read
    assertEquals(4, archivedRows());
    PositionedBatch[] all = new PositionedBatch[10];
    for (int i = 0; i < all.length; i++) {
      all[i] = batch(i, 1);
    }
    ArchiveCommittable again = seal(100, all).get(0);
    assertEquals(List.of(range(2, 6, 5), range(8, 10, 9)), again.ranges());
    commit(again);
    assertEquals(10, archivedRows());
    assertEquals(List.of(), seal(100, all));
  }

  @Test
  void aWriterHoldsNoFilesOfWhatIsMergedWhileItRuns() throws Exception {
    for (int i = 0; i < 40; i++) {
      commit(seal(100, batch(i, 1)).get(0));
    }
    try (var running = writer(100);
        Archive archive = Archive.open(Path.of(archive()))) {
      assertNotNull(new Compactor(archive, new CompactionOptions(100, 100)).step(() -> false));
      assertTrue(archive.removeReplaced(Duration.ZERO).size() > 1);
      // It still knows the positions of its start.
      running.processElement(new StreamRecord<>(batch(39, 1)));
      running.processElement(new StreamRecord<>(batch(40, 1)));
      running.prepareSnapshotPreBarrier(1);
      assertEquals(List.of(range(40, 41, 40)), running.extractOutputValues().get(0).ranges());
    }
  }

  @Test
  void positionsThatNeverCameEndARange() throws Exception {
    assertEquals(
        List.of(range(3, 4, 3), range(7, 8, 7)),
        seal(100, batch(3, 1), batch(7, 1)).get(0).ranges());
  }

  private List<CommitResult.Gap> gapsOf(PositionedBatch... batches) throws Exception {
    commit(seal(100_000, batches).get(0));
    try (Archive archive = Archive.open(Path.of(archive()));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(batches[batches.length - 1].offset() + 1, snapshot.committedEnd(KEY));
      return snapshot.gaps();
    }
  }

  @Test
  void everyHoleBecomesAGap() throws Exception {
    PositionedBatch[] batches = new PositionedBatch[SourcePositions.MAX_RANGES + 1];
    List<CommitResult.Gap> expected = new ArrayList<>();
    for (int i = 0; i < batches.length; i++) {
      long offset = 2L * i;
      batches[i] = batch(offset, 0);
      if (i > 0) {
        expected.add(
            new CommitResult.Gap(KEY, offset - 1, offset, START + offset - 2, START + offset));
      }
    }
    assertEquals(expected, gapsOf(batches));
  }

  @Test
  void holesBeyondWhatIsKeptLieInTheArrivalsOfTheLastGap() throws Exception {
    int more = 1000;
    PositionedBatch[] batches = new PositionedBatch[SourcePositions.MAX_RANGES + more];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = batch(2L * i, 0);
    }
    List<CommitResult.Gap> gaps = gapsOf(batches);
    assertEquals(SourcePositions.MAX_RANGES, gaps.size());
    for (int i = 1; i < batches.length; i++) {
      long lost = START + 2L * i - 1;
      assertTrue(
          gaps.stream().anyMatch(gap -> gap.arrivalFrom() <= lost && lost <= gap.arrivalThrough()),
          "offset " + (2 * i - 1));
    }
    // In the next checkpoint holes are told apart again.
    long next = 2L * batches.length;
    assertEquals(
        new CommitResult.Gap(KEY, next, next + 1, START + next - 1, START + next + 1),
        gapsOf(batch(next - 1, 0), batch(next + 1, 0)).get(gaps.size()));
  }

  @Test
  void aHoleBeforeARepeatCanHaveHeldWhatArrivedUpToTheNextNewBatch() throws Exception {
    List<CommitResult.Gap> gaps = gapsOf(batch(3, 1), repeatOf(1, 7), batch(8, 1));
    assertEquals(List.of(new CommitResult.Gap(KEY, 4, 7, START + 3, START + 8)), gaps);
  }

  private static PositionedBatch repeatOf(long first, long offset) {
    PositionedBatch repeat = batch(first, 1).asRepeat();
    return new PositionedBatch(
        KEY, offset, repeat.batch(), 0, true, repeat.reached(), Optional.empty());
  }

  @Test
  void whatLiesBeforeTheFirstArchivedOffsetIsTakenWhenItComes() throws Exception {
    commit(seal(100, batch(5, 1), batch(6, 1)).get(0));
    ArchiveCommittable earlier = seal(100, batch(2, 1), batch(3, 1), batch(5, 1)).get(0);
    assertEquals(List.of(range(2, 4, 3)), earlier.ranges());
    commit(earlier);
    assertEquals(4, archivedRows());
  }

  @Test
  void allWritersBecomeOneCommit() throws Exception {
    ArchiveCommittable one = seal(100, batch(0, 3)).get(0);
    ArchiveCommittable two = seal(100, batch(1, 4)).get(0);
    commit(new ArchiveCommittable(1, two.segments(), two.ranges()), one);
    assertEquals(7, archivedRows());
    try (Archive archive = Archive.open(Path.of(archive()))) {
      assertEquals(2, archive.committedEnd(KEY));
      assertEquals(START + 1, archive.historyThrough());
    }
  }

  @Test
  void aRepeatIsAcknowledgedAndAnOverlapFailsSayingWhy() throws Exception {
    ArchiveCommittable both = seal(100, batch(0, 1), batch(1, 1)).get(0);
    ArchiveCommittable longer = seal(100, batch(1, 1), batch(2, 1)).get(0);
    commit(both);
    commit(both);
    assertEquals(2, archivedRows());
    IOException e = assertThrows(IOException.class, () -> commit(longer));
    assertTrue(e.getMessage().contains("Let one job only archive a topic"), e.getMessage());
    assertEquals(2, archivedRows());
  }

  @Test
  void aPieceThatCannotBeSealedFailsTheWriterWithItsFolder() throws Exception {
    try (Archive archive = Archive.openOrCreate(Path.of(archive()), ArchiveOptions.DEFAULTS)) {
      archive.commit(ArchiveCommit.ofRanges(List.of(), List.of(new SourceRange("x", 0, 1, 0)), ""));
    }
    try (var harness = writer(10)) {
      Path segments = Path.of(archive(), "segments");
      try (var files = java.nio.file.Files.list(segments)) {
        assertEquals(0, files.count());
      }
      java.nio.file.Files.delete(segments);
      harness.processElement(new StreamRecord<>(batch(0, 10)));
      IOException e = assertThrows(IOException.class, () -> harness.prepareSnapshotPreBarrier(1));
      assertTrue(e.getMessage().contains("could not be sealed in " + segments), e.getMessage());
    }
  }

  @Test
  void aBatchThatCannotBeSealedIsQuarantinedAndTheOthersAreSealed() throws Exception {
    try (var harness = writer(1000)) {
      for (int offset = 0; offset < 20; offset++) {
        boolean bad = offset == 3 || offset == 11;
        harness.processElement(new StreamRecord<>(bad ? unsealable(offset) : batch(offset, 10)));
      }
      harness.prepareSnapshotPreBarrier(1);
      ArchiveCommittable sealed = harness.extractOutputValues().get(0);
      assertEquals(List.of(range(0, 20, 19)), sealed.ranges());
      List<Quarantined> refused =
          harness.getSideOutput(Quarantined.TAG).stream().map(StreamRecord::getValue).toList();
      assertEquals(
          List.of("topic:0@3", "topic:0@11"), refused.stream().map(Quarantined::position).toList());
      assertEquals("archive-writer", refused.get(0).where());
      assertTrue(refused.get(0).reason().contains("cannot be sealed"), refused.get(0).reason());
      commit(sealed);
    }
    assertEquals(180, archivedRows());
  }

  /** Returns a batch whose text was overwritten after it was opened, so that it cannot be read. */
  private static PositionedBatch unsealable(long offset) {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, START + offset);
    builder.setText(FlowColumn.SERVICE, "dns");
    builder.endRow();
    byte[] bytes = builder.build(1, offset, 0, 0);
    PositionedBatch record = new PositionedBatch(KEY, offset, FlowBatch.open(bytes), 0);
    for (int at = 0; at < bytes.length - 6; at++) {
      // the offsets 0 and 3, then the text
      if (bytes[at] == 3 && bytes[at + 4] == 'd' && bytes[at + 5] == 'n') {
        bytes[at + 3] = 0x7F;
        return record;
      }
    }
    throw new AssertionError("no text in the batch");
  }

  @Test
  void aCommittableKeepsEverythingThroughItsSerializer() throws Exception {
    ArchiveCommittable committable = seal(10, batch(0, 10), batch(5, 3)).get(0);
    var serializer = ArchiveCommittable.TYPE.createSerializer(new SerializerConfigImpl());
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(committable, out);
    byte[] bytes = out.getCopyOfBuffer();
    assertEquals(committable, serializer.deserialize(new DataInputDeserializer(bytes)));
    bytes[0] = 9;
    IOException e =
        assertThrows(
            IOException.class, () -> serializer.deserialize(new DataInputDeserializer(bytes)));
    assertTrue(e.getMessage().contains("found version 9, this reads versions 1…2"), e.getMessage());
  }
}
