package org.flowmon.deploy.iceberg;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.deploy.command.CommandException;

/**
 * The Iceberg metadata of an archive in a folder. A snapshot of the table is a commit of the
 * archive: its id is the commit's number, its time the commit's. {@link #update} adds the commits
 * since the last update; without any it writes nothing. Several processes may update one folder.
 */
public final class IcebergTable implements AutoCloseable {
  /** The folder within an archive. */
  public static final String FOLDER = "iceberg/";

  private static final String ARCHIVE = "flowmon.archive";
  private static final int MOST_SNAPSHOTS = 64;
  private static final int ATTEMPTS = 5;

  private final ArchiveStore store;
  private final FolderTable table;

  private IcebergTable(ArchiveStore store, String folder) {
    this.store = store;
    this.table = new FolderTable(store, folder);
  }

  /** {@code to}: where the metadata are, a directory or URL; empty: within the archive. */
  public static IcebergTable open(ArchiveLocation archive, Optional<ArchiveLocation> to)
      throws IOException {
    ArchiveLocation place = to.orElse(archive);
    if (place.isLocal()) {
      Files.createDirectories(place.directory());
    }
    // Metadata names files by absolute paths.
    ArchiveLocation absolute = new ArchiveLocation(place.key(), place.settings());
    return new IcebergTable(absolute.openStore(), to.isPresent() ? "" : FOLDER);
  }

  /** What the table is after an update. */
  public record State(TableMetadata metadata, int oldSegments) {
    /** The newest file of metadata. */
    public String location() {
      return metadata.metadataFileLocation();
    }
  }

  /**
   * Brings the table up to an archive's snapshot.
   *
   * @throws CommandException if the folder has another archive's table
   */
  public State update(ArchiveSnapshot snapshot) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return updateOnce(snapshot);
      } catch (CommitFailedException e) {
        if (attempt == ATTEMPTS) {
          throw new CommandException(
              table.location() + ": other processes write it all the time; try again later");
        }
      }
    }
  }

  private State updateOnce(ArchiveSnapshot snapshot) throws IOException {
    if (table.reload() == null) {
      table.commit(null, created(snapshot));
    }
    TableMetadata before = current();
    requireOf(snapshot, before);
    TableMetadata columns = withColumns(before);
    if (columns != before) {
      table.commit(before, columns);
    }
    Snapshot last = current().currentSnapshot();
    long done = last == null ? 0 : last.snapshotId();
    if (done > snapshot.number()) {
      return new State(current(), 0); // another process knows more
    }
    List<ManifestState> states = snapshot.history(Math.max(0, done - 1), MOST_SNAPSHOTS);
    long readable = readableFrom(states, done);
    TableFiles files = TableFiles.of(new BaseTable(table, "flows"), table, snapshot);
    for (ManifestState state : states) {
      boolean isNewest = state.number() == snapshot.number();
      if (state.number() > done && (isNewest || state.number() >= readable)) {
        files.apply(state);
      }
    }
    new SnapshotExpiry(table).expire(readable, MOST_SNAPSHOTS);
    return new State(current(), files.oldSegments());
  }

  private TableMetadata current() {
    return Objects.requireNonNull(table.current(), "the table was just written");
  }

  /**
   * The first commit whose files may all still exist: not one before a removal of a segment whose
   * files are gone. If commits are missing that came after the table's last snapshot, nothing is
   * known of what they removed.
   */
  private static long readableFrom(List<ManifestState> states, long done) {
    ManifestState first = states.get(0);
    long readable = done > 0 && first.number() > done ? first.number() : 0;
    for (int i = 1; i < states.size(); i++) {
      ManifestState after = states.get(i);
      for (var removed : states.get(i - 1).removed().entrySet()) {
        if (!after.removed().containsKey(removed.getKey())) {
          readable = Math.max(readable, removed.getValue().commit());
        }
      }
    }
    return readable;
  }

  private TableMetadata created(ArchiveSnapshot snapshot) {
    Schema schema = FlowSchema.now();
    return TableMetadata.buildFromEmpty(2)
        .assignUUID(snapshot.archive().toString())
        .setLocation(table.location())
        .setCurrentSchema(schema, schema.highestFieldId())
        .setDefaultPartitionSpec(PartitionSpec.unpartitioned())
        .setDefaultSortOrder(SortOrder.unsorted())
        .setProperties(
            Map.of(
                ARCHIVE,
                snapshot.archive().toString(),
                // The segments belong to the archive: no engine may delete them with the table.
                "gc.enabled",
                "false",
                "commit.retry.num-retries",
                "0"))
        .build();
  }

  private void requireOf(ArchiveSnapshot snapshot, TableMetadata found) {
    String of = found.properties().get(ARCHIVE);
    if (!snapshot.archive().toString().equals(of)) {
      throw new CommandException(
          String.format(
              "the table at %s is of another archive (%s, this is %s): name another folder",
              table.location(), of, snapshot.archive()));
    }
  }

  private static TableMetadata withColumns(TableMetadata found) {
    Schema now = FlowSchema.now();
    if (found.schema().sameSchema(now)) {
      return found;
    }
    int highest = Math.max(found.lastColumnId(), now.highestFieldId());
    return TableMetadata.buildFrom(found).setCurrentSchema(now, highest).build();
  }

  @Override
  public void close() {
    store.close();
  }
}
