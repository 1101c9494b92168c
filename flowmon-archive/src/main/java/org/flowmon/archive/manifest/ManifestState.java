package org.flowmon.archive.manifest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.archive.segment.SealedSegment;

/** What all commits up to one add up to. Immutable. */
public final class ManifestState {
  private final UUID archive;
  private final long number;
  private final int checksum;
  private final long timeMicros;
  private final List<SealedSegment> segments;
  private final Map<String, SealedSegment> byId;
  private final NavigableMap<String, Removal> removed;
  private final SortedMap<String, SourceState> sources;
  private final Map<String, ImportedFile> files;
  private final NavigableMap<Long, Long> imported;
  private final SortedMap<String, Integer> firstRows;
  private final Retained retained;
  private final long rows;
  private final long bytes;
  private final long minArrival;
  private final long maxArrival;

  private ManifestState(Builder builder) {
    this.archive = builder.archive;
    this.number = builder.number;
    this.checksum = builder.checksum;
    this.timeMicros = builder.timeMicros;
    this.segments = List.copyOf(builder.segments.values());
    this.byId = builder.segments;
    this.removed = Collections.unmodifiableNavigableMap(builder.removed);
    this.sources = builder.sources;
    this.files = builder.files;
    this.imported = Collections.unmodifiableNavigableMap(builder.imported);
    this.firstRows = Collections.unmodifiableSortedMap(builder.firstRows);
    this.retained = builder.retained;
    this.rows = builder.rows;
    this.bytes = builder.bytes;
    this.minArrival = builder.minArrival;
    this.maxArrival = builder.maxArrival;
  }

  /** The archive's identity, given at its creation. */
  public UUID archive() {
    return archive;
  }

  /** Number of the newest commit in it. */
  public long number() {
    return number;
  }

  int checksum() {
    return checksum;
  }

  /** The segments in the order of their commits. */
  public List<SealedSegment> segments() {
    return segments;
  }

  /** Visible rows of all segments. */
  public long rows() {
    return rows - firstRows.values().stream().mapToLong(row -> row).sum();
  }

  /** Rows of all segments, hidden ones too. */
  public long storedRows() {
    return rows;
  }

  /** The first visible row of a segment: those before it have expired. 0 where none has. */
  public int firstRow(String id) {
    return firstRows.getOrDefault(id, 0);
  }

  /** The first visible row of each segment that has hidden ones, by id. */
  public SortedMap<String, Integer> firstRows() {
    return firstRows;
  }

  /** How much of the past is kept. */
  public RetentionOptions retention() {
    return retained.options();
  }

  /**
   * No row with a smaller {@link org.flowmon.archive.segment.TimeKey} (µs) is visible, {@link
   * Long#MIN_VALUE} where nothing has expired. It never falls.
   */
  public long cutoff() {
    return retained.cutoff();
  }

  /** Rows that were committed and are not visible any more, {@link #lateRows} too. */
  public long expiredRows() {
    return retained.expiredRows();
  }

  /** Rows that were below the cutoff when they came. */
  public long lateRows() {
    return retained.lateRows();
  }

  /**
   * Time keys of all visible rows; in the bucket of the cutoff, of hidden ones too. Null where
   * nothing is limited. Not to be changed.
   */
  public TimestampHistogram keys() {
    return retained.keys();
  }

  /** The newest arrival ever committed (µs), {@link Long#MIN_VALUE} where none was. */
  public long newestArrival() {
    return maxArrival;
  }

  /** Bytes of all segments and sidecars. */
  public long bytesOnDisk() {
    return bytes;
  }

  /** Whether a segment of this id is part of the archive. */
  public boolean hasSegment(String id) {
    return byId.containsKey(id);
  }

  /**
   * Whether a segment of this id is part of the archive, or was and readers may still need its
   * files: nobody may delete these as never committed.
   */
  public boolean knows(String id) {
    return byId.containsKey(id) || removed.containsKey(id);
  }

  /** Whether all ranges of a commit are committed. */
  boolean holdsAll(ArchiveCommit commit) {
    return commit.ranges().stream()
        .allMatch(
            range ->
                source(range.sourceKey())
                    .committed()
                    .contains(range.firstOffset(), range.endOffset()));
  }

  /** The segment of this id, null where it is not part of the archive. */
  public SealedSegment segment(String id) {
    return byId.get(id);
  }

  /** Segments that were replaced and whose files may still be there, by id. */
  public NavigableMap<String, Removal> removed() {
    return removed;
  }

  SourceState source(String key) {
    return sources.getOrDefault(key, SourceState.NEW);
  }

  boolean isRetiredOrUnknown(String key) {
    SourceState source = sources.get(key);
    return source == null || source.retired();
  }

  /** The file of this SHA-256 as it was last imported, null where it was not. */
  public ImportedFile imported(String sha256) {
    return files.get(sha256);
  }

  /**
   * Checks that no file of this content was imported.
   *
   * @throws CommitRefusedException where one was, naming it
   */
  public void requireNotImported(ImportedFile file) {
    ImportedFile before = files.get(file.sha256());
    if (before != null) {
      throw new CommitRefusedException(
          CommitRefusedException.Reason.ALREADY_IMPORTED,
          file.name()
              + " was imported before, as "
              + before.name()
              + " (SHA-256 "
              + file.sha256()
              + ", "
              + before.bytes()
              + " bytes)");
    }
  }

  /** The position after the last committed one of a source, −1 where it is unknown. */
  public long committedEnd(String sourceKey) {
    return source(sourceKey).committed().end();
  }

  /** The first committed position of a source, −1 where it is unknown. */
  public long committedFirst(String sourceKey) {
    OffsetRanges committed = source(sourceKey).committed();
    return committed.isEmpty() ? -1 : committed.first(0);
  }

  /** {@link #committedEnd} of every source, by key. */
  public SortedMap<String, Long> committedEnds() {
    SortedMap<String, Long> ends = new TreeMap<>();
    sources.forEach((key, source) -> ends.put(key, source.committed().end()));
    return ends;
  }

  /** Positions between committed ones that were never committed. */
  public List<CommitResult.Gap> gaps() {
    List<CommitResult.Gap> gaps = new ArrayList<>();
    sources.forEach(
        (key, source) -> {
          OffsetRanges ranges = source.committed();
          for (int i = 1; i < ranges.count(); i++) {
            gaps.add(ranges.gapBefore(i, key));
          }
        });
    return gaps;
  }

  /**
   * The first arrival stored (µs), {@link Long#MAX_VALUE} where none is: since then flows were
   * collected. Not the smallest {@code end_time}, which one exporter with a clock from 1970 would
   * move. Not before the {@link #cutoff}: of what arrived earlier a part has expired.
   */
  public long historyFrom() {
    return Math.max(minArrival, retained.cutoff());
  }

  /**
   * Since when (µs) everything that arrived from these sources was committed, but for gaps: their
   * first arrival, or a later one where positions before a source's first committed one were left
   * out; never before the {@link #cutoff}. Sources that are unknown have brought nothing yet.
   * {@link Long#MAX_VALUE} where no arrival is known.
   *
   * @param disorder by how much (µs) what was left out may have arrived later than what followed
   */
  public long historyFrom(Collection<String> sourceKeys, long disorder) {
    long first = Long.MAX_VALUE;
    long late = Long.MIN_VALUE;
    for (String key : sourceKeys) {
      SourceState source = source(key);
      first = Math.min(first, source.firstArrival());
      if (source.beginsLate()) {
        // Unknown stays unknown.
        long begins = Math.min(source.firstArrival(), Long.MAX_VALUE - disorder) + disorder;
        late = Math.max(late, begins);
      }
    }
    return Math.max(Math.max(first, late), retained.cutoff());
  }

  /**
   * The stretches of arrivals (µs) that imported files hold, from the first to the last of each;
   * those that overlap are one. Last arrival by first, ascending. None reaches before the {@link
   * #cutoff}.
   */
  public NavigableMap<Long, Long> importedArrivals() {
    Map.Entry<Long, Long> cut = imported.lowerEntry(cutoff());
    if (cut == null) {
      return imported;
    }
    NavigableMap<Long, Long> left = new TreeMap<>(imported.tailMap(cutoff(), true));
    if (cut.getValue() >= cutoff()) {
      left.put(cutoff(), cut.getValue());
    }
    return left;
  }

  /**
   * The smallest over all sources from which more may come (neither retired nor ended) of their
   * largest committed arrival (µs); without such a source the largest arrival known; {@link
   * Long#MIN_VALUE} where none is.
   */
  public long historyThrough() {
    return through(sources.values(), maxArrival);
  }

  /**
   * As {@link #historyThrough()}, for these sources alone; {@link Long#MIN_VALUE} where one is
   * unknown, or where there is none.
   */
  public long historyThrough(Collection<String> sourceKeys) {
    if (sourceKeys.stream().anyMatch(key -> source(key).committed().isEmpty())) {
      return Long.MIN_VALUE;
    }
    return through(sourceKeys.stream().map(this::source).toList(), Long.MIN_VALUE);
  }

  private static long through(Collection<SourceState> sources, long otherwise) {
    long through = Long.MAX_VALUE;
    long largest = otherwise;
    boolean any = false;
    for (SourceState source : sources) {
      largest = Math.max(largest, source.maxArrival());
      if (!source.isSilent()) {
        any = true;
        through = Math.min(through, source.maxArrival());
      }
    }
    return any ? through : largest;
  }

  /**
   * Whether everything that arrived from these sources up to a time (µs) was committed, but for
   * {@link #gaps}: each is known, and has a later arrival or ended. False without a source. Where a
   * source's arrivals are out of order by up to a bound, ask for a time that much later.
   */
  public boolean reaches(Collection<String> sourceKeys, long arrival) {
    return !sourceKeys.isEmpty()
        && sourceKeys.stream().allMatch(key -> source(key).reaches(arrival));
  }

  ManifestState with(String file, CommitRecord commit) {
    Builder builder = new Builder(this);
    builder.add(file, commit);
    return builder.build();
  }

  /** The snapshot file of this state. */
  byte[] toBytes() {
    ManifestFrame.Writer out =
        new ManifestFrame.Writer(
            ManifestFrame.Kind.SNAPSHOT, number, archive, checksum, timeMicros);
    segments.forEach(segment -> out.section(ManifestFrame.SEGMENT, segment.toBytes()));
    files.values().forEach(f -> out.section(ManifestFrame.FILE, ManifestSections.file(f)));
    sources.forEach(
        (key, source) -> out.section(ManifestFrame.SOURCE, ManifestSections.source(key, source)));
    removed.forEach(
        (id, removal) -> out.section(ManifestFrame.REMOVED, ManifestSections.removed(id, removal)));
    imported.forEach(
        (first, last) -> out.section(ManifestFrame.IMPORTED, ManifestSections.times(first, last)));
    firstRows.forEach(
        (id, row) -> out.section(ManifestFrame.FIRST_ROW, RetentionSections.firstRow(id, row)));
    retained.write(out, minArrival, maxArrival);
    return out.toBytes();
  }

  /**
   * Reads a snapshot file.
   *
   * @throws ManifestCorruptException where it is not the sound snapshot of this number
   */
  static Builder fromBytes(String file, byte[] bytes, long number) {
    ManifestFrame frame = ManifestFrame.read(file, bytes, ManifestFrame.Kind.SNAPSHOT, number);
    Builder builder = new Builder(frame);
    for (ManifestFrame.Section section : frame.sections()) {
      switch (section.tag()) {
        case ManifestFrame.SEGMENT ->
            builder.addSegment(ManifestSections.read(file, section, ManifestSections::segment));
        case ManifestFrame.FILE ->
            builder.addFile(ManifestSections.read(file, section, ManifestSections::file));
        case ManifestFrame.SOURCE -> {
          Map.Entry<String, SourceState> source =
              ManifestSections.read(file, section, ManifestSections::source);
          builder.sources.put(source.getKey(), source.getValue());
        }
        case ManifestFrame.REMOVED -> {
          Map.Entry<String, Removal> gone =
              ManifestSections.read(file, section, ManifestSections::removed);
          builder.removed.put(gone.getKey(), gone.getValue());
        }
        case ManifestFrame.IMPORTED -> {
          Map.Entry<Long, Long> times =
              ManifestSections.read(file, section, ManifestSections::times);
          builder.addImported(times.getKey(), times.getValue());
        }
        default -> builder.readRetention(file, section);
      }
    }
    builder.requireFirstRows(file);
    return builder;
  }

  /** Adds commits up without a copy for each. Not to be used after {@link #build}. */
  static final class Builder {
    private final UUID archive;
    private long number;
    private int checksum;
    private long timeMicros;
    private final Map<String, SealedSegment> segments; // in the order of commits
    private final NavigableMap<String, Removal> removed;
    private final SortedMap<String, SourceState> sources;
    private final Map<String, ImportedFile> files;
    private final NavigableMap<Long, Long> imported;
    private final SortedMap<String, Integer> firstRows;
    private Retained retained;
    private long rows;
    private long bytes;
    private long minArrival;
    private long maxArrival;

    Builder(ManifestState from) {
      this.archive = from.archive;
      this.number = from.number;
      this.checksum = from.checksum;
      this.timeMicros = from.timeMicros;
      this.segments = new LinkedHashMap<>(from.byId);
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

    /** Begins with what a snapshot's frame says; its sections are to be added. */
    private Builder(ManifestFrame snapshot) {
      this(snapshot.archive(), snapshot.number(), snapshot.link(), snapshot.timeMicros());
    }

    /** Begins before commit 0. */
    Builder(UUID archive) {
      this(archive, -1, 0, 0);
    }

    private Builder(UUID archive, long number, int checksum, long timeMicros) {
      this.archive = archive;
      this.number = number;
      this.checksum = checksum;
      this.timeMicros = timeMicros;
      this.segments = new LinkedHashMap<>();
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

    int checksum() {
      return checksum;
    }

    private void readRetention(String file, ManifestFrame.Section section) {
      switch (section.tag()) {
        case ManifestFrame.FIRST_ROW -> {
          Map.Entry<String, Integer> first =
              ManifestSections.read(file, section, RetentionSections::firstRow);
          firstRows.put(first.getKey(), first.getValue());
        }
        case ManifestFrame.RETENTION ->
            retained =
                retained.withOptions(
                    ManifestSections.read(file, section, RetentionSections::options));
        case ManifestFrame.CUTOFF -> ManifestSections.read(file, section, this::readCutoff);
        case ManifestFrame.KEYS ->
            retained =
                retained.withKeys(
                    ManifestSections.read(file, section, TimestampHistogram::fromBytes));
        default -> throw ManifestSections.unknown(file, section);
      }
    }

    private Retained readCutoff(ByteBuffer in) {
      retained = retained.withCutoff(in.getLong(), in.getLong(), in.getLong());
      // Of segments that are gone too.
      minArrival = in.getLong();
      maxArrival = in.getLong();
      return retained;
    }

    private void requireFirstRows(String file) {
      firstRows.forEach((id, row) -> requireFirstRow(file, id, row, segments.get(id)));
    }

    private static void requireFirstRow(String file, String id, int row, SealedSegment segment) {
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

    private void addSegment(SealedSegment segment) {
      segments.put(segment.id(), segment);
      rows += segment.rows();
      bytes += segment.bytesOnDisk();
      minArrival = Math.min(minArrival, segment.arrival().min());
      maxArrival = Math.max(maxArrival, segment.arrival().max());
    }

    private void remove(String id, Removal removal) {
      SealedSegment gone = segments.remove(id);
      firstRows.remove(id);
      rows -= gone.rows();
      bytes -= gone.bytesOnDisk();
      removed.put(id, removal);
    }

    private void addFile(ImportedFile imported) {
      files.put(imported.sha256(), imported);
    }

    private void addImported(long first, long last) {
      long from = first;
      long to = last;
      for (Map.Entry<Long, Long> before = imported.floorEntry(to);
          before != null && before.getValue() >= from;
          before = imported.floorEntry(to)) {
        from = Math.min(from, before.getKey());
        to = Math.max(to, before.getValue());
        imported.remove(before.getKey());
      }
      imported.put(from, to);
    }

    /**
     * Adds the next commit.
     *
     * @param file its name, for messages
     * @throws ManifestCorruptException where it does not follow on what was added before
     */
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
      // From here on nothing fails: a refused commit leaves no half of itself.
      Removal removal = new Removal(frame.number(), frame.timeMicros());
      record.commit().replaced().forEach(id -> remove(id, removal));
      record.commit().deleted().forEach(removed::remove);
      sources.putAll(changed);
      record.commit().segments().forEach(this::addSegment);
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
                      file, "first row", "of segment " + id + " goes back to " + row);
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

    private SealedSegment after(String id, Map<String, SealedSegment> added, ArchiveCommit commit) {
      SealedSegment segment = added.get(id);
      return segment == null && !commit.replaced().contains(id) ? segments.get(id) : segment;
    }

    private void expire(Expiration expiration, Removal removal) {
      firstRows.putAll(expiration.firstRows());
      expiration.expired().forEach(id -> remove(id, removal));
      if (expiration.trimmed().isEmpty()) {
        return;
      }
      // What is trimmed keeps its place: the order of segments decides between equal times.
      List<SealedSegment> ordered = new ArrayList<>(segments.values());
      segments.clear();
      for (SealedSegment segment : ordered) {
        segments.put(segment.id(), segment);
        SealedSegment by = expiration.trimmed().get(segment.id());
        if (by != null) {
          remove(segment.id(), removal);
          addSegment(by);
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
}
