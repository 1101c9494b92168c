package org.flowmon.deploy.serve.catalog;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.iceberg.IcebergTable;
import org.jspecify.annotations.Nullable;

/**
 * An archive as a table. Whoever loads it may read its files for some time, though they are merged
 * into others meanwhile: the snapshot, and with it the files, is held so long. Thread-safe.
 */
final class ServedTable implements AutoCloseable {
  private static final Duration HELD = Duration.ofMinutes(10);
  private static final Duration RENEWED = Duration.ofMinutes(1);

  private final Archive archive;
  private final Optional<ArchiveLocation> folder;
  private final List<ArchiveSnapshot> held = new ArrayList<>();
  private @Nullable IcebergTable table;
  private IcebergTable.@Nullable State state;
  private long heldNumber = -1;
  private long heldSince;

  /** {@code folder}: where its metadata are written; empty: within the archive. */
  ServedTable(Archive archive, Optional<ArchiveLocation> folder) {
    this.archive = archive;
    this.folder = folder;
  }

  /** The table at the archive's newest commit. */
  synchronized IcebergTable.State load() throws IOException {
    ArchiveSnapshot snapshot = archive.snapshot();
    boolean isKept = false;
    try {
      IcebergTable.State now = state;
      if (now == null || snapshot.number() != heldNumber) {
        now = table().update(snapshot);
        state = now;
      }
      long age = System.nanoTime() - heldSince;
      if (snapshot.number() != heldNumber || age > RENEWED.toNanos()) {
        hold(snapshot);
        isKept = true;
      }
      return now;
    } finally {
      if (!isKept) {
        snapshot.close();
      }
    }
  }

  private IcebergTable table() throws IOException {
    IcebergTable opened = table;
    if (opened == null) {
      opened = IcebergTable.open(archive.location(), folder);
      table = opened;
    }
    return opened;
  }

  private void hold(ArchiveSnapshot snapshot) {
    held.add(snapshot);
    heldNumber = snapshot.number();
    heldSince = System.nanoTime();
    // Whoever loads it last before it is held anew has it for all of the time, too.
    CompletableFuture.delayedExecutor(HELD.plus(RENEWED).toSeconds(), TimeUnit.SECONDS)
        .execute(() -> release(snapshot));
  }

  private synchronized void release(ArchiveSnapshot snapshot) {
    held.remove(snapshot);
    snapshot.close();
  }

  @Override
  public synchronized void close() {
    held.forEach(ArchiveSnapshot::close);
    held.clear();
    if (table != null) {
      table.close();
    }
  }
}
