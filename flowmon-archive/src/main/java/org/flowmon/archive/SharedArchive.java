package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.days.DaySums;
import org.flowmon.archive.directory.HostDirectory;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.flow.FlowColumn;

/**
 * The manifest's state and open segments, shared by all users of one archive in this process.
 * Counted by reference; the last one closes it.
 */
final class SharedArchive {
  private static final Map<String, SharedArchive> OPEN = new HashMap<>();

  private final ArchiveLocation location;
  private final String key;
  private final ArchiveStore store;
  private final Manifest manifest;
  private final ReaderLease lease;
  private final OpenSegments segments;
  private final HostDirectory hosts;
  private final DaySums days;
  private volatile List<FlowColumn> keptColumns = List.of();
  private int references;

  private SharedArchive(
      ArchiveLocation location,
      String key,
      ArchiveStore store,
      Manifest manifest,
      ReaderLease lease,
      ArchiveOptions options) {
    this.location = location;
    this.key = key;
    this.store = store;
    this.manifest = manifest;
    this.lease = lease;
    this.segments = new OpenSegments(store, options.maxOpenSegments(), this::isLeased);
    this.hosts = new HostDirectory(store, manifest.state().archive());
    this.days = new DaySums(store, manifest.state().archive());
  }

  /** Takes one reference more. */
  static SharedArchive acquire(ArchiveLocation location, ArchiveOptions options)
      throws IOException {
    String key = location.key();
    synchronized (OPEN) {
      SharedArchive shared = OPEN.get(key);
      if (shared == null) {
        shared = open(new ArchiveLocation(key, location.settings()), key, options);
        OPEN.put(key, shared);
      }
      shared.references++;
      return shared;
    }
  }

  private static SharedArchive open(ArchiveLocation location, String key, ArchiveOptions options)
      throws IOException {
    ArchiveStore store = location.openStore();
    ReaderLease lease = null;
    boolean done = false;
    try {
      lease = ReaderLease.take(store.hostFolder());
      new ArchiveSettings(store).findColumns();
      Manifest manifest = Manifest.open(store, options.snapshotEvery());
      lease.release(0);
      SharedArchive shared = new SharedArchive(location, key, store, manifest, lease, options);
      done = true;
      return shared;
    } finally {
      if (!done) {
        if (lease != null) {
          lease.close();
        }
        store.close();
      }
    }
  }

  /** The newest state, which the lease holds until {@link #release(ManifestState)}. */
  ManifestState hold() throws IOException {
    // Held before it is read: files that the state names may not vanish in between.
    long known = manifest.state().number();
    lease.hold(known);
    try {
      ManifestState state = manifest.refresh();
      lease.move(known, state.number());
      return state;
    } catch (IOException | RuntimeException e) {
      lease.release(known);
      throw e;
    }
  }

  /** Writes this process's columns into the settings, if they are not known to be there. */
  void keepColumns() throws IOException {
    List<FlowColumn> defined = FlowColumn.defined();
    if (!defined.equals(keptColumns)) {
      new ArchiveSettings(store).keepColumns(defined);
      keptColumns = defined;
    }
  }

  /** Throws if others may delete commits: one of them could be written a second time. */
  void requireLease() throws IOException {
    if (!lease.protects()) {
      throw new AccessDeniedException(
          store.hostFolder().resolve(ReaderLease.FOLDER).toString(),
          null,
          "no lease could be created, and without one nothing is committed; give this user write"
              + " access to the folder, and check that its disk has room");
    }
  }

  void release(ManifestState state) {
    lease.release(state.number());
  }

  /** Whether others see this process's leases, and so keep its files. */
  boolean isLeased() {
    return lease.protects() && store.grace().isZero();
  }

  SharedArchive acquire() {
    synchronized (OPEN) {
      if (references == 0) {
        throw new IllegalStateException("the archive " + location + " is closed");
      }
      references++;
      return this;
    }
  }

  void release() {
    synchronized (OPEN) {
      references--;
      if (references > 0) {
        return;
      }
      OPEN.remove(key);
    }
    segments.close();
    hosts.close();
    days.close();
    lease.close();
    store.close();
  }

  ArchiveLocation location() {
    return location;
  }

  ArchiveStore store() {
    return store;
  }

  ReaderLease lease() {
    return lease;
  }

  Manifest manifest() {
    return manifest;
  }

  HostDirectory hosts() {
    return hosts;
  }

  DaySums days() {
    return days;
  }

  OpenSegments segments() {
    return segments;
  }
}
