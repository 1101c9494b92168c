package org.flowmon.deploy.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.time.FlowTime;

/** The live files of a table, and their change to those of an archive's commits, one by one. */
final class TableFiles {
  private static final long MICROS = 1000;

  /** A segment of the table, with the deletes of its expired rows; empty if there are none. */
  private record Live(DataFile file, List<DeleteFile> deletes) {
    long expired() {
      return deletes.stream().mapToLong(DeleteFile::recordCount).sum();
    }

    long visible() {
      return file.recordCount() - expired();
    }
  }

  private final Table table;
  private final FolderTable folder;
  private final ArchiveSnapshot snapshot;
  private final Map<String, Live> live = new LinkedHashMap<>();
  private int oldSegments;

  private TableFiles(Table table, FolderTable folder, ArchiveSnapshot snapshot) {
    this.table = table;
    this.folder = folder;
    this.snapshot = snapshot;
  }

  static TableFiles of(Table table, FolderTable folder, ArchiveSnapshot snapshot) {
    TableFiles files = new TableFiles(table, folder, snapshot);
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        files.live.put(task.file().location(), new Live(task.file(), task.deletes()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /**
   * Of the segments that were added, those of an earlier version, which engines in Java refuse or
   * misread.
   */
  int oldSegments() {
    return oldSegments;
  }

  /** Commits a snapshot of the table with the files of this state; none if they are the same. */
  void apply(ManifestState state) throws IOException {
    List<Live> removed = new ArrayList<>();
    List<Live> added = new ArrayList<>();
    boolean rowsExpire = false;
    Set<String> wanted = new HashSet<>();
    for (SealedSegment segment : state.segments()) {
      String path = snapshot.file(segment);
      wanted.add(path);
      int expired = state.firstRow(segment.id());
      Live before = live.get(path);
      if (before == null) {
        SegmentFile file = SegmentFile.of(snapshot, segment);
        oldSegments += file.isOld() ? 1 : 0;
        added.add(new Live(file.file(), deletes(segment, path, expired)));
      } else if (before.expired() != expired) {
        rowsExpire = true;
        removed.add(before);
        added.add(new Live(before.file(), deletes(segment, path, expired)));
      }
    }
    live.forEach(
        (path, file) -> {
          if (!wanted.contains(path)) {
            removed.add(file);
          }
        });
    if (removed.isEmpty() && added.isEmpty()) {
      return;
    }
    boolean isSame = !rowsExpire && visible(removed) == visible(added);
    commit(state, removed.isEmpty(), isSame, removed, added);
    removed.forEach(file -> live.remove(file.file().location()));
    added.forEach(file -> live.put(file.file().location(), file));
  }

  private static long visible(List<Live> files) {
    return files.stream().mapToLong(Live::visible).sum();
  }

  private List<DeleteFile> deletes(SealedSegment segment, String path, int rows)
      throws IOException {
    if (rows == 0) {
      return List.of();
    }
    String name = "data/" + segment.id() + "-" + rows + ".deletes.parquet";
    byte[] bytes = PositionDeletes.bytes(path, rows);
    folder.put(name, bytes);
    return List.of(PositionDeletes.describe(folder.location(name), bytes.length, path, rows));
  }

  private void commit(
      ManifestState state, boolean isAppend, boolean isSame, List<Live> removed, List<Live> added) {
    folder.nextSnapshot(state.number(), state.timeMicros() / MICROS);
    boolean hasDeletes = added.stream().anyMatch(file -> !file.deletes().isEmpty());
    if (isAppend && !hasDeletes) {
      AppendFiles append = table.newAppend();
      added.forEach(file -> append.appendFile(file.file()));
      commit(append, state);
    } else if (isSame && !hasDeletes) {
      // Other files with the same rows: who follows changes sees none.
      RewriteFiles rewrite = table.newRewrite();
      rewrite.validateFromSnapshot(table.currentSnapshot().snapshotId()); // older may be gone
      removed.forEach(file -> rewrite.deleteFile(file.file()));
      removed.forEach(file -> file.deletes().forEach(rewrite::deleteFile));
      added.forEach(file -> rewrite.addFile(file.file()));
      commit(rewrite, state);
    } else {
      commit(rowDelta(removed, added), state);
    }
  }

  private RowDelta rowDelta(List<Live> removed, List<Live> added) {
    Set<String> stay = new HashSet<>();
    added.forEach(file -> stay.add(file.file().location()));
    Set<String> were = new HashSet<>();
    removed.forEach(file -> were.add(file.file().location()));
    RowDelta delta = table.newRowDelta();
    if (table.currentSnapshot() != null) {
      delta.validateFromSnapshot(table.currentSnapshot().snapshotId());
    }
    for (Live file : removed) {
      file.deletes().forEach(delta::removeDeletes);
      if (!stay.contains(file.file().location())) {
        delta.removeRows(file.file());
      }
    }
    for (Live file : added) {
      file.deletes().forEach(delta::addDeletes);
      if (!were.contains(file.file().location())) {
        delta.addRows(file.file());
      }
    }
    return delta;
  }

  private static void commit(SnapshotUpdate<?> update, ManifestState state) {
    update.set("flowmon.commit", Long.toString(state.number()));
    update.set("flowmon.commit-time", FlowTime.text(state.timeMicros()));
    update.commit();
  }
}
