package org.flowmon.archive.manifest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.Removal;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.commit.SourceState;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/** The running sum of commits, without copying the state; immutable after {@link #build}. */
final class ManifestSum {
  final UUID archive;
  long number;
  int checksum;
  long timeMicros;
  final Map<String, SealedSegment> segments; // in the order of commits
  final Map<String, Long> newestRows; // by segment
  final NavigableMap<String, Removal> removed;
  final SortedMap<String, SourceState> sources;
  final Map<String, ImportedFile> files;
  final NavigableMap<Long, Long> imported;
  final SortedMap<String, Integer> firstRows;
  Retained retained;
  long rows;
  long bytes;
  long minArrival;
  long maxArrival;

  ManifestSum(ManifestState state) {
    ManifestSum from = state.sum();
    this.archive = from.archive;
    this.number = from.number;
    this.checksum = from.checksum;
    this.timeMicros = from.timeMicros;
    this.segments = new LinkedHashMap<>(from.segments);
    this.newestRows = new HashMap<>(from.newestRows);
    this.removed = new TreeMap<>(from.removed);
    this.sources = new TreeMap<>(from.sources);
    this.files = new TreeMap<>(from.files);
    this.imported = new TreeMap<>(from.imported);
    this.firstRows = new TreeMap<>(from.firstRows);
    this.retained = from.retained;
    this.rows = from.rows;
    this.bytes = from.bytes;
    this.minArrival = from.minArrival;
    this.maxArrival = from.maxArrival;
  }

  /** Begins with a snapshot's frame; its sections are to be added. */
  ManifestSum(ManifestFrame snapshot) {
    this(snapshot.archive(), snapshot.number(), snapshot.link(), snapshot.timeMicros());
  }

  ManifestSum(UUID archive) {
    this(archive, -1, 0, 0);
  }

  private ManifestSum(UUID archive, long number, int checksum, long timeMicros) {
    this.archive = archive;
    this.number = number;
    this.checksum = checksum;
    this.timeMicros = timeMicros;
    this.segments = new LinkedHashMap<>();
    this.newestRows = new HashMap<>();
    this.removed = new TreeMap<>();
    this.sources = new TreeMap<>();
    this.files = new TreeMap<>();
    this.imported = new TreeMap<>();
    this.firstRows = new TreeMap<>();
    this.retained = Retained.NOTHING;
    this.minArrival = Long.MAX_VALUE;
    this.maxArrival = Long.MIN_VALUE;
  }

  long number() {
    return number;
  }

  void requireFirstRows(String file) {
    firstRows.forEach((id, row) -> requireFirstRow(file, id, row, segments.get(id)));
  }

  private static void requireFirstRow(
      String file, String id, int row, @Nullable SealedSegment segment) {
    if (segment == null || row < 1 || row >= segment.rows()) {
      throw new ManifestCorruptException(
          file,
          "first row",
          row
              + " of segment "
              + id
              + (segment == null ? ", which is not there" : " of " + segment.rows() + " rows"));
    }
  }

  /** Adds a segment of a snapshot: its rows came with one of the commits up to that. */
  void addSegment(SealedSegment segment) {
    addSegment(segment, number);
  }

  private void addSegment(SealedSegment segment, long newest) {
    segments.put(segment.id(), segment);
    newestRows.put(segment.id(), newest);
    rows += segment.rows();
    bytes += segment.bytesOnDisk();
    minArrival = Math.min(minArrival, segment.arrival().min());
    maxArrival = Math.max(maxArrival, segment.arrival().max());
  }

  private void remove(String id, Removal removal) {
    SealedSegment gone = segments.remove(id);
    newestRows.remove(id);
    firstRows.remove(id);
    rows -= gone.rows();
    bytes -= gone.bytesOnDisk();
    removed.put(id, removal);
  }

  void addFile(ImportedFile imported) {
    files.put(imported.sha256(), imported);
  }

  void addImported(long first, long last) {
    HistoryReach.add(imported, first, last);
  }

  /** Adds the next commit, of a file; {@link ManifestCorruptException} if it does not follow. */
  void add(String file, CommitRecord record) {
    ManifestFrame frame = record.frame();
    if (!frame.archive().equals(archive)) {
      throw new ManifestCorruptException(
          file, "header", "of archive " + frame.archive() + ", expected " + archive);
    }
    if (frame.number() != number + 1 || frame.link() != checksum) {
      throw new ManifestCorruptException(
          file,
          "header",
          String.format(
              "commit %d that follows on a commit with checksum %08x, expected commit %d after"
                  + " %08x",
              frame.number(), frame.link(), number + 1, checksum));
    }
    Map<String, SourceState> changed = sourcesAfter(file, record.commit());
    requireReplaceable(file, record.commit());
    requireExpirable(file, record);
    // From here on nothing fails: a refused commit leaves no partial change.
    Removal removal = new Removal(frame.number(), frame.timeMicros());
    long newest = newestRows(record.commit(), frame.number());
    record.commit().replaced().forEach(id -> remove(id, removal));
    record.commit().deleted().forEach(removed::remove);
    sources.putAll(changed);
    record.commit().segments().forEach(segment -> addSegment(segment, newest));
    if (record.commit().file() != null) {
      addFile(record.commit().file());
      LongSummaryStatistics arrivals = new LongSummaryStatistics();
      for (SealedSegment segment : record.commit().segments()) {
        arrivals.accept(segment.arrival().min());
        arrivals.accept(segment.arrival().max());
      }
      if (arrivals.getCount() > 0) {
        addImported(arrivals.getMin(), arrivals.getMax());
      }
    }
    expire(record.expiration(), removal);
    retained = retained.with(record.commit().retention(), record.expiration());
    number = frame.number();
    checksum = frame.checksum();
    timeMicros = frame.timeMicros();
  }

  private long newestRows(ArchiveCommit commit, long number) {
    return commit.replaced().stream().mapToLong(newestRows::get).max().orElse(number);
  }

  private void requireReplaceable(String file, ArchiveCommit commit) {
    for (String id : commit.replaced()) {
      if (!segments.containsKey(id)) {
        throw new ManifestCorruptException(
            file, "replaced segment", id + " is not part of the archive at this commit");
      }
    }
    if (new HashSet<>(commit.replaced()).size() < commit.replaced().size()) {
      throw new ManifestCorruptException(
          file, "replaced segment", "one is named twice: " + commit.replaced());
    }
  }

  private void requireExpirable(String file, CommitRecord record) {
    Expiration expiration = record.expiration();
    if (expiration.isEmpty()) {
      return;
    }
    Map<String, SealedSegment> added = new HashMap<>();
    record.commit().segments().forEach(segment -> added.put(segment.id(), segment));
    expiration
        .firstRows()
        .forEach(
            (id, row) -> {
              requireFirstRow(file, id, row, after(id, added, record.commit()));
              if (row <= firstRows.getOrDefault(id, 0)) {
                throw new ManifestCorruptException(
                    file, "first row", "segment " + id + " goes back to row " + row);
              }
            });
    List<String> gone = new ArrayList<>(expiration.expired());
    gone.addAll(expiration.trimmed().keySet());
    for (String id : gone) {
      if (after(id, added, record.commit()) == null || expiration.firstRows().containsKey(id)) {
        throw new ManifestCorruptException(
            file, "expired segment", id + " is not part of the archive at this commit");
      }
    }
    if (new HashSet<>(gone).size() < gone.size()) {
      throw new ManifestCorruptException(file, "expired segment", "one is named twice: " + gone);
    }
    for (SealedSegment by : expiration.trimmed().values()) {
      if (segments.containsKey(by.id()) || added.containsKey(by.id())) {
        throw new ManifestCorruptException(
            file, "trimmed segment", by.id() + " is part of the archive already");
      }
    }
  }

  /** The segment of this id after a commit; null if there is none. */
  private @Nullable SealedSegment after(
      String id, Map<String, SealedSegment> added, ArchiveCommit commit) {
    SealedSegment segment = added.get(id);
    return segment == null && !commit.replaced().contains(id) ? segments.get(id) : segment;
  }

  private void expire(Expiration expiration, Removal removal) {
    firstRows.putAll(expiration.firstRows());
    expiration.expired().forEach(id -> remove(id, removal));
    if (expiration.trimmed().isEmpty()) {
      return;
    }
    // A trimmed segment keeps its place: the order of segments decides between equal times.
    List<SealedSegment> ordered = new ArrayList<>(segments.values());
    segments.clear();
    for (SealedSegment segment : ordered) {
      segments.put(segment.id(), segment);
      SealedSegment by = expiration.trimmed().get(segment.id());
      if (by != null) {
        long newest = Objects.requireNonNull(newestRows.get(segment.id()), segment.id());
        remove(segment.id(), removal);
        addSegment(by, newest);
      }
    }
  }

  private Map<String, SourceState> sourcesAfter(String file, ArchiveCommit commit) {
    Map<String, SourceState> changed = new TreeMap<>();
    for (SourceRange range : commit.ranges()) {
      String key = range.sourceKey();
      SourceState before = changed.getOrDefault(key, sources.getOrDefault(key, SourceState.NEW));
      if (before.committed().intersects(range.firstOffset(), range.endOffset())) {
        throw new ManifestCorruptException(
            file, "source range", range + " was committed before: " + before.committed());
      }
      changed.put(key, before.with(range));
    }
    for (String key : commit.retiredSources()) {
      SourceState source = sources.get(key);
      if (source != null) {
        changed.put(key, source.asRetired());
      }
    }
    return changed;
  }

  ManifestState build() {
    return new ManifestState(this);
  }
}
