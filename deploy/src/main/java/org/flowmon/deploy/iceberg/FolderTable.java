package org.flowmon.deploy.iceberg;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/**
 * A table whose metadata are numbered files of a folder, as Iceberg's own file-system tables have
 * them: {@code metadata/v<N>.metadata.json}, and {@code version-hint.text} with the newest number.
 * A version is put if absent: of two writers one fails. Not thread-safe.
 */
final class FolderTable implements TableOperations {
  private static final Pattern VERSION = Pattern.compile("v(\\d{1,9})\\.metadata\\.json");
  private static final int MAX_HINT = 64;
  private static final int MOST_VERSIONS = 100;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ArchiveStore store;
  private final String folder; // with / at its end, or empty
  private final FileIO io;
  private int version;
  private @Nullable TableMetadata current;
  private long snapshotId;
  private long snapshotMillis;

  /** {@code folder}: of the table in the store, with / at its end; or empty: the whole store. */
  FolderTable(ArchiveStore store, String folder) {
    this.store = store;
    this.folder = folder;
    this.io = new StoreFileIO(store);
  }

  /** The next snapshot's id and time, which are those of the archive's commit. */
  void nextSnapshot(long id, long millis) {
    snapshotId = id;
    snapshotMillis = millis;
  }

  /** The table's own location. */
  String location() {
    String place = store.describe(folder + "x");
    return place.substring(0, place.length() - 2);
  }

  /** The location of a file of the table's. */
  String location(String name) {
    return store.describe(folder + name);
  }

  /** Puts a file of the table's; an equal one may be there. */
  void put(String name, byte[] bytes) throws IOException {
    store.putIfAbsent(folder + name, bytes);
  }

  private String metadata(String name) {
    return folder + "metadata/" + name;
  }

  private String versionFile(int number) {
    return metadata("v" + number + ".metadata.json");
  }

  /** Null before there is a table. */
  @Override
  public @Nullable TableMetadata current() {
    return current;
  }

  /**
   * As {@link #current}. Iceberg refreshes amid a commit; if that showed another process's commit,
   * a change made for the version before would go on top of it.
   */
  @Override
  public @Nullable TableMetadata refresh() {
    return current;
  }

  /** Reads the newest version; null before there is a table. */
  @Nullable TableMetadata reload() throws IOException {
    int newest = newest();
    if (newest != version) {
      current = TableMetadataParser.read(io, store.describe(versionFile(newest)));
      version = newest;
    }
    return current;
  }

  /** 0 if there is none. */
  private int newest() throws IOException {
    int newest = Math.max(version, hint());
    if (newest == 0 || !store.exists(versionFile(newest))) {
      newest = 0;
      for (StoredFile file : store.list(folder + "metadata")) {
        Matcher name = VERSION.matcher(file.fileName());
        newest = name.matches() ? Math.max(newest, Integer.parseInt(name.group(1))) : newest;
      }
    }
    while (newest > 0 && store.exists(versionFile(newest + 1))) {
      newest++;
    }
    return newest;
  }

  private int hint() throws IOException {
    byte[] bytes = store.read(metadata("version-hint.text"), MAX_HINT);
    String text = bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8).strip();
    return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata changed) {
    if (base != current) {
      throw new CommitFailedException("the table has changed meanwhile");
    }
    int next = version + 1;
    try {
      JsonNode written = json(base, changed);
      if (!store.putIfAbsent(versionFile(next), JSON.writeValueAsBytes(written))) {
        throw new CommitFailedException("%s was written by another process", versionFile(next));
      }
      version = next;
      current = TableMetadataParser.fromJson(store.describe(versionFile(next)), written);
      store.delete(versionFile(next - MOST_VERSIONS));
      store.replace(
          metadata("version-hint.text"), Integer.toString(next).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new snapshot has the time of the archive's commit, in place of the time of this writing. */
  private JsonNode json(@Nullable TableMetadata base, TableMetadata changed) throws IOException {
    ObjectNode tree = (ObjectNode) JSON.readTree(TableMetadataParser.toJson(changed));
    tree.putArray("metadata-log"); // DuckDB refuses a log that begins after its transaction
    Snapshot added = changed.currentSnapshot();
    if (added != null && (base == null || base.snapshot(added.snapshotId()) == null)) {
      long millis = Math.min(snapshotMillis, System.currentTimeMillis());
      Snapshot before = base == null ? null : base.currentSnapshot();
      millis = before == null ? millis : Math.max(millis, before.timestampMillis());
      for (String list : new String[] {"snapshots", "snapshot-log"}) {
        for (JsonNode entry : tree.withArray(list)) {
          if (entry.get("snapshot-id").asLong() == added.snapshotId()) {
            ((ObjectNode) entry).put("timestamp-ms", millis);
          }
        }
      }
    }
    return tree;
  }

  @Override
  public FileIO io() {
    return io;
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return store.describe(metadata(fileName));
  }

  @Override
  public LocationProvider locationProvider() {
    TableMetadata table = current;
    if (table == null) {
      throw new IllegalStateException("there is no table yet at " + location());
    }
    return LocationProviders.locationsFor(table.location(), table.properties());
  }

  @Override
  public long newSnapshotId() {
    return snapshotId;
  }
}
