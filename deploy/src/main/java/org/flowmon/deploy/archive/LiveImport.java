package org.flowmon.deploy.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.deploy.command.Sha256;
import org.flowmon.deploy.input.LiveOptions;
import org.flowmon.deploy.input.PlaceFile;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.live.FollowedLog.Place;
import org.flowmon.ingest.file.live.LiveStream;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.ingest.publish.BatchCollectingSink;

/**
 * Imports a live input, with a commit every so often. A log's flows are in the archive exactly
 * once, also after a crash: before a commit the place that it reaches is written beside the place
 * where the last one ended, and the two name the commit. It is in the archive, or it is repeated.
 */
final class LiveImport implements LiveStream.Waiting {
  private static final int BATCH_ROWS = 4096;

  /** Whether to go on, asked between two flows. */
  interface Going {
    boolean on(long taken);
  }

  private final Archive archive;
  private final String name;
  private final Optional<Path> places;
  private final Duration every;
  private final Going going;
  private final BatchCollectingSink sink;
  private Optional<LiveOptions.Live> input = Optional.empty();
  private Optional<ArchiveImporter> importer = Optional.empty();
  private Optional<Place> from = Optional.empty();
  private long taken;
  private long committedNanos = System.nanoTime();
  private long rows;
  private long committed;

  /**
   * Begins.
   *
   * @param places the file of the log's places; empty for other inputs
   */
  LiveImport(Archive archive, String name, Optional<Path> places, Duration every, Going going) {
    this.archive = archive;
    this.name = name;
    this.places = places;
    this.every = every;
    this.going = going;
    this.sink = new BatchCollectingSink(BATCH_ROWS, this::add);
  }

  /** Where the log's next flows begin; empty: at its beginning. */
  Optional<Place> begin() throws IOException {
    if (places.isEmpty()) {
      return from;
    }
    from = PlaceFile.read(places.get());
    Optional<Place> reached = PlaceFile.read(pending());
    if (reached.isPresent() && isCommitted(reached.get())) {
      PlaceFile.write(places.get(), reached.get());
      from = reached;
    }
    Files.deleteIfExists(pending());
    return from;
  }

  private Path pending() {
    Path file = places.orElseThrow();
    return file.resolveSibling(file.getFileName() + ".pending");
  }

  private boolean isCommitted(Place reached) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.isImported(identity(reached).sha256());
    }
  }

  /** Named by the log and the places between which its flows are. */
  private ImportedFile identity(Place to) {
    String where =
        from.map(place -> place.file() + ':' + place.offset()).orElse("")
            + '-'
            + to.file()
            + ':'
            + to.offset();
    return identity(where, to.offset());
  }

  private ImportedFile identity(String where, long bytes) {
    return new ImportedFile(Sha256.of(name + '\0' + where), name, bytes);
  }

  /** Reads to the input's end, or until it is to stop. */
  FileSummary read(LiveOptions.Live live, FileReadOptions options) throws IOException {
    input = Optional.of(live);
    try (LiveStream stream = new LiveStream(live.source(), this)) {
      FlowFileReader reader = FlowFiles.open(live.input(stream), options);
      FileSummary summary =
          reader instanceof ParallelFlowReader parallel
              ? parallel.read(1, this::add)
              : reader.read(sink);
      commit();
      return summary;
    } finally {
      if (importer.isPresent()) {
        importer.get().close();
      }
    }
  }

  private void add(FlowBatch batch) {
    try {
      if (importer.isEmpty()) {
        // Its real identity is known when it is committed: no other import has this one.
        ImportedFile open = identity(UUID.randomUUID().toString(), 0);
        importer = Optional.of(new ArchiveImporter(archive, open, true));
      }
      importer.get().add(batch);
      rows += batch.rows();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean goOn(long bytes) throws IOException {
    taken = bytes;
    if (System.nanoTime() - committedNanos >= every.toNanos()) {
      commit();
    }
    return going.on(bytes);
  }

  private void commit() throws IOException {
    sink.flush();
    committedNanos = System.nanoTime();
    LiveOptions.Live live = input.orElseThrow();
    Optional<Place> to = places.isEmpty() ? Optional.empty() : live.place(taken);
    if (importer.isPresent()) {
      if (to.isPresent()) {
        PlaceFile.write(pending(), to.get());
        importer.get().commitAs(identity(to.get()), "flowmon import --follow " + name);
      } else {
        importer.get().commit("flowmon import " + name);
      }
      importer.get().close();
      importer = Optional.empty();
      committed = rows;
    }
    live.commit(taken);
    if (to.isPresent()) {
      PlaceFile.write(places.get(), to.get());
      Files.deleteIfExists(pending());
      from = to;
    }
  }

  /** Flows that are in the archive, also if reading failed after them. */
  long committed() {
    return committed;
  }
}
