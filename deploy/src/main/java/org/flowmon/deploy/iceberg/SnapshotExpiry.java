package org.flowmon.deploy.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/** Forgets snapshots of a table, and deletes what only they named; never a segment. */
final class SnapshotExpiry {
  private final FolderTable table;

  SnapshotExpiry(FolderTable table) {
    this.table = table;
  }

  /** Keeps the newest snapshot, and others from a commit on, at most so many. */
  void expire(long from, int most) {
    TableMetadata before = Objects.requireNonNull(table.current(), "of a table");
    Snapshot newest = before.currentSnapshot();
    if (newest == null) {
      return;
    }
    List<Snapshot> kept = new ArrayList<>(before.snapshots());
    kept.sort((a, b) -> Long.compare(b.snapshotId(), a.snapshotId()));
    List<Snapshot> gone = new ArrayList<>(kept.subList(Math.min(most, kept.size()), kept.size()));
    kept.removeAll(gone);
    for (Snapshot snapshot : List.copyOf(kept)) {
      if (snapshot.snapshotId() < from && snapshot.snapshotId() != newest.snapshotId()) {
        kept.remove(snapshot);
        gone.add(snapshot);
      }
    }
    if (gone.isEmpty()) {
      return;
    }
    Set<String> files = files(gone);
    files.removeAll(files(kept));
    List<Long> ids = gone.stream().map(Snapshot::snapshotId).toList();
    table.commit(before, TableMetadata.buildFrom(before).removeSnapshots(ids).build());
    files.forEach(table.io()::deleteFile);
  }

  /** Manifest lists, manifests and position deletes. */
  private Set<String> files(List<Snapshot> snapshots) {
    FileIO io = table.io();
    Set<String> files = new HashSet<>();
    for (Snapshot snapshot : snapshots) {
      files.add(snapshot.manifestListLocation());
      for (ManifestFile manifest : snapshot.dataManifests(io)) {
        files.add(manifest.path());
      }
      for (ManifestFile manifest : snapshot.deleteManifests(io)) {
        if (files.add(manifest.path())) {
          addDeletes(manifest, files);
        }
      }
    }
    return files;
  }

  private void addDeletes(ManifestFile manifest, Set<String> files) {
    Map<Integer, PartitionSpec> specs =
        Objects.requireNonNull(table.current(), "of a table").specsById();
    try (ManifestReader<DeleteFile> deletes =
        ManifestFiles.readDeleteManifest(manifest, table.io(), specs)) {
      deletes.forEach(file -> files.add(file.location()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
