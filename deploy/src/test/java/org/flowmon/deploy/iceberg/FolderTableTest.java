package org.flowmon.deploy.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.CloseableIterable;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two writers of one folder, commit by commit. */
final class FolderTableTest {
  @TempDir Path folder;

  private static void append(FolderTable table, long id) {
    table.nextSnapshot(id, 1000 * id);
    new BaseTable(table, "flows")
        .newAppend()
        .appendFile(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(table.location("segment-" + id + ".parquet"))
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build())
        .commit();
  }

  private static TableMetadata empty(FolderTable table) {
    return TableMetadata.newTableMetadata(
        FlowSchema.now(),
        PartitionSpec.unpartitioned(),
        table.location(),
        Map.of("commit.retry.num-retries", "0"));
  }

  @Test
  void ofTwoWritersOneFailsAndReloads() throws IOException {
    try (ArchiveStore store = ArchiveLocation.of(folder.toRealPath()).openStore()) {
      FolderTable one = new FolderTable(store, "");
      FolderTable other = new FolderTable(store, "");
      assertNull(other.reload());
      one.commit(null, empty(one));
      assertThrows(CommitFailedException.class, () -> other.commit(null, empty(other)));
      other.reload();
      append(one, 1);
      append(one, 2);
      // It knows of none of them: neither its file may be added to theirs, nor theirs go.
      assertThrows(CommitFailedException.class, () -> append(other, 1));
      assertThrows(CommitFailedException.class, () -> append(other, 3));
      other.reload();
      append(other, 3);

      TableMetadata found = Objects.requireNonNull(new FolderTable(store, "").reload());
      assertEquals(
          List.of(1L, 2L, 3L), found.snapshots().stream().map(Snapshot::snapshotId).toList());
      assertEquals(3, found.currentSnapshot().snapshotId());
      assertEquals(3000, found.currentSnapshot().timestampMillis());
      List<String> files = new ArrayList<>();
      try (CloseableIterable<FileScanTask> tasks =
          new BaseTable(other, "flows").newScan().planFiles()) {
        tasks.forEach(task -> files.add(task.file().location()));
      }
      assertEquals(
          List.of(
              one.location("segment-1.parquet"),
              one.location("segment-2.parquet"),
              one.location("segment-3.parquet")),
          files.stream().sorted().toList());
    }
  }
}
