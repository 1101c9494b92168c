package org.flowmon.archive.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.MemoryObjectStore;
import org.flowmon.archive.store.MemoryStores;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A commit cannot read the past that it needs to decide which rows to hide. */
class FailedReadTest {
  private static final int OLD = 4000;

  @TempDir Path directory;
  private String url;
  private MemoryObjectStore store;
  private SealedSegment old;

  @BeforeEach
  void anArchiveOfOneLopsidedSegment(TestInfo test) throws IOException {
    url = "memory://" + test.getTestMethod().orElseThrow().getName() + "/failed";
    store = MemoryStores.of(url);
    try (Archive archive = open("a")) {
      // Nearly all rows lie in the first of many hours.
      long step = Traffic.HOUR / 3900;
      old =
          Traffic.commit(
              archive,
              rows(OLD, i -> Traffic.BEGIN + (i < 3900 ? i * step : (i - 3899) * Traffic.HOUR)));
      archive.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(new RetentionOptions(OLD, OLD, 0, 0)), "test"));
    }
  }

  private Archive open(String host) throws IOException {
    String cache = directory.resolve(host).toString();
    return Archive.openOrCreate(
        ArchiveLocation.parse(url, Map.of("cache_directory", cache)), ArchiveOptions.DEFAULTS);
  }

  private static List<FlowBatch> rows(int rows, IntToLongFunction time) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time.applyAsLong(i));
      builder.set(FlowColumn.END_TIME, time.applyAsLong(i));
      builder.endRow();
    }
    return List.of(FlowBatch.open(builder.build(1, 0, 0, 0)));
  }

  private static List<FlowBatch> newRows() {
    return rows(10, i -> Traffic.BEGIN + 9 * Traffic.DAY + i);
  }

  private void requireExactlyTheLimit(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(OLD, snapshot.rows());
      assertEquals(10, snapshot.expiredRows());
      assertEquals(10, snapshot.firstRow(old));
    }
  }

  private void requireFailedThenExact(IOException failure) throws IOException {
    try (Archive archive = open("b")) { // whose cache is empty
      AtomicInteger reads = new AtomicInteger();
      store.fault =
          (operation, name) -> {
            if (operation.equals("readRange")
                && name.endsWith(old.fileName())
                && reads.getAndIncrement() == 0) {
              throw failure;
            }
          };
      assertThrows(IOException.class, () -> Traffic.commit(archive, newRows()));
      assertEquals(1, reads.get());
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertEquals(OLD, snapshot.rows());
        assertEquals(0, snapshot.expiredRows(), "nothing was decided");
      }
      Traffic.commit(archive, newRows());
      requireExactlyTheLimit(archive);
    }
    assertTrue(ArchiveVerifier.verify(location("c")).isSound());
  }

  private ArchiveLocation location(String host) {
    return ArchiveLocation.parse(
        url, Map.of("cache_directory", directory.resolve(host).toString()));
  }

  @Test
  void anErrorOfTheStoreFailsTheCommitAndExpiresNothing() throws IOException {
    requireFailedThenExact(new IOException("503 Slow Down"));
  }

  @Test
  void aFileThatCouldNotBeOpenedThoughItIsThereIsNotLost() throws IOException {
    requireFailedThenExact(new NoSuchFileException("a copy in the cache"));
  }

  @Test
  void aSegmentThatIsLostHoldsNoCommitUp() throws IOException {
    store.delete("segments/" + old.fileName());
    try (Archive archive = open("b")) {
      Traffic.commit(archive, newRows());
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertTrue(snapshot.rows() <= OLD);
        assertTrue(snapshot.expiredRows() >= 10);
      }
    }
    assertFalse(ArchiveVerifier.verify(location("c")).isSound());
  }
}
